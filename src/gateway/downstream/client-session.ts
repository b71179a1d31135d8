import type { ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import type { Scope } from '../catalog/route.ts'
import type { Ways } from '../context.ts'
import type { Behind } from '../options.ts'
import type { Visitor } from '../upstream/upstream.ts'
import type { Wants } from './subscriptions.ts'

/** What the gateway remembers of one client while it is connected. Of a 2026 client over HTTP nothing: its requests stand alone. */
export interface ClientSession {
  /** Its client made a request. */
  seen(visitor: Visitor, sessionId: string | undefined): Visitor
  /** True: a 2026 upstream is listened to for this resource, or no longer; false: the request is the upstream's own. */
  subscribes(behind: Behind, method: string, uri: string, ctx: ServerContext): Promise<boolean>
  notify(method: string): void
  leave(): void
}

const lists: Wants = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

export function sessionOf(
  ways: Ways,
  { behind: all }: Scope,
  /** Left out: there is nobody to tell. */
  tell?: (server: string, method: string, params: JsonObject) => void,
): ClientSession {
  const watches = new Map<string, ReturnType<Ways['watching']['start']>>()
  const uris = new Map<string, Set<string>>()
  let visitor: Visitor | undefined
  let session: string | undefined
  let unattend = () => {}

  async function isPerRequest(behind: Behind, signal: AbortSignal): Promise<boolean> {
    const mine = visitor && (await ways.visitorOf(behind, visitor))
    const found = mine && (await behind.upstream.era(mine, signal))
    return found?.kind === 'found' && found.era.perRequest
  }

  /** A 2025 upstream tells its session by itself; a 2026 upstream has to be listened to. */
  async function listenTo(behind: Behind, seen: Visitor): Promise<void> {
    if (watches.has(behind.id) || !(await isPerRequest(behind, AbortSignal.timeout(60_000)))) return
    if (visitor === undefined || watches.has(behind.id)) return
    const told = (method: string, params: JsonObject) => tell?.(behind.id, method, params)
    watches.set(behind.id, ways.watching.start({ behind, visitor: seen, tell: told }, lists))
  }

  /** With another account, or none, an upstream has other things to list. */
  function accountChanged(provider: string, seen: Visitor): void {
    for (const behind of all.filter((one) => one.provider === provider)) {
      watches.get(behind.id)?.stop()
      watches.delete(behind.id)
      for (const kind of ['tools', 'prompts', 'resources']) tell?.(behind.id, `notifications/${kind}/list_changed`, {})
      void listenTo(behind, seen)
    }
  }

  return {
    seen(next, sessionId) {
      if (tell === undefined || visitor !== undefined) return next
      visitor = next
      session = sessionId
      unattend = ways.accounts.attend(next.requester.participant, (provider) => accountChanged(provider, next))
      for (const behind of all) void listenTo(behind, next)
      return next
    },
    async subscribes(behind, method, uri, ctx) {
      if (!(await isPerRequest(behind, ctx.mcpReq.signal)) || visitor === undefined) return false
      await listenTo(behind, visitor)
      const wanted = uris.get(behind.id) ?? new Set()
      uris.set(behind.id, wanted)
      if (method === 'resources/subscribe') wanted.add(uri)
      else wanted.delete(uri)
      watches.get(behind.id)?.want({ ...lists, ...(wanted.size > 0 && { resourceSubscriptions: [...wanted] }) })
      return true
    },
    notify(method) {
      if (visitor === undefined) return
      for (const { upstream } of all) void upstream.notify(visitor, method, {})
    },
    leave() {
      unattend()
      for (const watch of watches.values()) watch.stop()
      if (visitor !== undefined) for (const { upstream } of all) upstream.leave(visitor)
      ways.levels.forget(session)
      visitor = undefined
    },
  }
}
