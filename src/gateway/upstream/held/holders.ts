import { digest } from '../../../base/canonical.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Vault } from '../../../base/seal.ts'
import type { Holding, HoldingStore } from '../../../instance/holding.ts'
import type { Post } from '../../../instance/post.ts'
import { clientKey } from '../client-keys.ts'
import type { HeldSessions, ResumableSession } from '../options.ts'
import type { DownstreamClient } from '../upstream.ts'

/** Knows which instance holds the session of a client with a 2025 upstream. */
export interface Holders extends Pick<HeldSessions, 'resume' | 'opened' | 'outlives'> {
  /** Whether sessions with this upstream are held by one instance each. */
  areHeld(upstream: string): boolean
  /** The instance that holds it, which is this one if nobody did. */
  holderOf(upstream: string, client: DownstreamClient): Promise<string>
  /** The holder that was found is gone: it is looked up again. */
  forget(upstream: string, client: DownstreamClient): void
}

interface HoldersParts {
  readonly holdings: HoldingStore
  readonly vault: Vault
  readonly clock: Clock
  readonly post: Pick<Post, 'id' | 'isJoined' | 'isThere' | 'hasOthers'>
  onError(error: unknown): void
}

/** How long an instance goes by what it read, in milliseconds. */
const believedMs = 15_000
const keptMs = 86_400_000
const mostTries = 10
const mostKnown = 10_000
/** Ids of requests begin above those of the holder before, which may still be in flight. */
const idsEach = 100_000

export function createHolders({ holdings, vault, clock, post, onError }: HoldersParts): Holders {
  const known = new Map<string, { readonly holding: Holding; readonly readAt: number }>()
  const resumable = new Map<string, ResumableSession>()
  const sessionless = new Set<string>()

  function know(holding: Holding): Holding {
    known.delete(holding.key)
    if (known.size >= mostKnown) known.delete(known.keys().next().value as string)
    known.set(holding.key, { holding, readAt: clock.now().getTime() })
    return holding
  }

  async function find(key: string): Promise<Holding> {
    const now = clock.now().getTime()
    const cached = known.get(key)
    if (cached !== undefined && now - cached.readAt < believedMs) return cached.holding
    for (let tries = 0; tries < mostTries; tries++) {
      const kept = await holdings.get(key)
      if (kept !== undefined && kept.holder !== post.id && (await post.isThere(kept.holder))) return know(kept)
      if (kept?.holder === post.id && kept.expiresAt.getTime() - now > keptMs / 2) return know(kept)
      const next = { ...kept, key, holder: post.id, version: (kept?.version ?? 0) + 1, expiresAt: until() }
      if (!(await holdings.saveIfUnchanged(next))) continue
      if (kept !== undefined && kept.holder !== post.id) await takeOver(next)
      return know(next)
    }
    throw new Error('Nobody can be found who holds a session with an upstream.')
  }

  const until = () => new Date(clock.now().getTime() + keptMs)

  async function takeOver({ key, resume, version }: Holding): Promise<void> {
    if (resume === undefined) return
    try {
      const session = JSON.parse(await vault.open(resume, bindingOf(key))) as ResumableSession
      resumable.set(key, { ...session, lastId: version * idsEach })
    } catch (error) {
      // A session of its own is opened instead.
      onError(error)
    }
  }

  async function keep(key: string, session: ResumableSession): Promise<void> {
    const resume = await vault.seal(JSON.stringify(session), bindingOf(key))
    const { holder, version } = await find(key)
    if (holder !== post.id) return
    const next = { key, holder, resume, version: version + 1, expiresAt: until() }
    if (await holdings.saveIfUnchanged(next)) know(next)
    else known.delete(key)
  }

  return {
    areHeld: (upstream) => post.isJoined() && !sessionless.has(upstream),
    holderOf: async (upstream, client) => (await find(keyOf(upstream, client))).holder,
    forget: (upstream, client) => void known.delete(keyOf(upstream, client)),
    resume(upstream, client) {
      const key = keyOf(upstream, client)
      const session = resumable.get(key)
      resumable.delete(key)
      return session
    },
    async opened(upstream, client, session) {
      // Without an id there is nothing that two instances could have in common.
      if (session === undefined) sessionless.add(upstream)
      else sessionless.delete(upstream)
      if (session !== undefined && post.isJoined()) await keep(keyOf(upstream, client), session).catch(onError)
    },
    outlives: (upstream, client) => post.hasOthers() && known.get(keyOf(upstream, client))?.holding.holder === post.id,
  }
}

const keyOf = (upstream: string, client: DownstreamClient) => digest([upstream, clientKey(client)])

const bindingOf = (key: string) => `holding/${key}`
