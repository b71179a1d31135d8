import type { Elicitation as Kept } from '../elicitation/elicitation.ts'
import { isSettled } from '../elicitation/elicitation.ts'
import { openMemoryStore } from '../stores/memory/open.ts'
import { type ElicitationRow, fromElicitationRow, toElicitationRow } from '../stores/rows/elicitation.ts'
import type { Store } from '../stores/store.ts'

/** A question as stores of url elicitation modules keep it. */
export interface StoredElicitation {
  readonly elicitationId: string
  readonly userId?: string
  readonly status: 'pending' | 'complete' | 'expired'
  readonly createdAt: Date
  /**
   * Until when it must be kept, which is longer than the question is open. Stores that let it expire by this, as the custom
   * store of the guide does, would otherwise lose the answer, or forget a question before it was settled as expired.
   */
  readonly expiresAt: Date
  /** What the handler gave, its `type`, and under `assent` the whole record. A secret in it is sealed. */
  readonly metadata: Record<string, unknown>
}

/** How a question ended. What the person entered is only in the sealed record. */
export interface StoredResult {
  readonly elicitationId: string
  readonly success: boolean
  readonly action: 'confirm' | 'cancel'
  readonly completedAt: Date
  readonly userId?: string
  readonly type?: string
}

/** A store as url elicitation modules define it, with one addition: `replaceElicitation`. */
export interface IElicitationStore {
  storeElicitation(elicitation: StoredElicitation): Promise<void>
  getElicitation(elicitationId: string): Promise<StoredElicitation | undefined>
  updateElicitation?(elicitationId: string, updates: Partial<StoredElicitation>): Promise<void>
  /**
   * Saves `next` only where `isUnchanged` says that the kept one is still the one that was read, in one step that no other
   * process can come between. False: it has changed. Without it, two processes may both settle one question.
   */
  replaceElicitation?(next: StoredElicitation, isUnchanged: (kept: StoredElicitation) => boolean): Promise<boolean>
  storeResult?(result: StoredResult): Promise<void>
  findResultByUserAndType?(userId: string, type: string): Promise<{ readonly elicitationId: string } | undefined>
  removeElicitation?(elicitationId: string): Promise<void>
}

export function isElicitationStore(store: unknown): store is IElicitationStore {
  return typeof store === 'object' && store !== null && 'storeElicitation' in store && 'getElicitation' in store
}

/** How often a question that somebody waits for is read again: such a store cannot tell of changes. */
const pollMs = 1_000

/**
 * A whole store made of one that keeps questions only. Questions are kept in it; grants, accounts, browsers and the audit
 * are in memory, and lost with the process.
 */
export function storeFor(given: IElicitationStore, warn: (message: string) => void): Store {
  if (given.replaceElicitation === undefined) {
    warn(
      'The store has no replaceElicitation (compare and set). Use it in ONE process only: with several, a question may be ' +
        'settled twice. For several processes add that method, or use a store of Assent, such as postgres://.',
    )
  }
  warn('This store keeps questions only. Grants, connected accounts and the audit are in memory, and lost at restart.')
  const memory = openMemoryStore()
  const { elicitations } = memory

  /** The newer of what this process and the store have. Another process may have asked or settled it. */
  const get = async (id: Kept['id']): Promise<Kept | undefined> => {
    const here = await elicitations.get(id)
    if (here !== undefined && isSettled(here)) return here
    const there = recordIn(await given.getElicitation(id))
    if (there === undefined || there.version <= (here?.version ?? 0)) return here
    if (here === undefined) await elicitations.add(asOpen(there), unlimited)
    if (isSettled(there)) await elicitations.saveIfUnchanged({ ...there, version: 2 })
    return there
  }

  return {
    ...memory,
    name: 'a store of questions',
    elicitations: {
      ...elicitations,
      get,
      async add(elicitation, limits) {
        const added = await elicitations.add(elicitation, limits)
        if (added.kind === 'added') await given.storeElicitation(asGiven(elicitation))
        return added
      },
      async saveIfUnchanged(next) {
        await get(next.id)
        const isNext = (kept: StoredElicitation) => recordIn(kept)?.version === next.version - 1
        if (given.replaceElicitation !== undefined) {
          if (!(await given.replaceElicitation(asGiven(next), isNext))) return false
          await elicitations.saveIfUnchanged(next)
        } else {
          if (!(await elicitations.saveIfUnchanged(next))) return false
          if (given.updateElicitation === undefined) await given.storeElicitation(asGiven(next))
          else await given.updateElicitation(next.id, asGiven(next))
        }
        const result = resultIn(next)
        if (result !== undefined) await given.storeResult?.(result)
        return true
      },
      async latestAnswered(participant, type) {
        const here = await elicitations.latestAnswered(participant, type)
        if (here !== undefined) return here
        const found = await given.findResultByUserAndType?.(participant, type)
        const there = found && (await get(found.elicitationId as Kept['id']))
        // Judged by the record, not by the index that the store keeps.
        return there?.requester.participant === participant && there.type === type ? there : undefined
      },
    },
    changes: {
      watch(id, changed) {
        const stop = memory.changes.watch(id, changed)
        const polling = setInterval(changed, pollMs)
        polling.unref()
        return () => {
          clearInterval(polling)
          stop()
        }
      },
    },
  }
}

const unlimited = { requester: Number.POSITIVE_INFINITY, participant: Number.POSITIVE_INFINITY }

const day = 86_400_000
/** As long as stores of Assent keep them, unless `retain` says otherwise. */
const keepsSettledMs = 30 * day

function keptUntil({ expiresAt, state }: Kept): Date {
  return new Date(state.kind === 'open' ? expiresAt.getTime() + day : state.at.getTime() + keepsSettledMs)
}

const asOpen = (elicitation: Kept): Kept => ({ ...elicitation, version: 1, state: { kind: 'open' } })

function asGiven(elicitation: Kept): StoredElicitation {
  const { id, requester, createdAt, metadata, type, state } = elicitation
  const settled = state.kind === 'answered' ? 'complete' : 'expired'
  return {
    elicitationId: id,
    userId: requester.participant,
    status: state.kind === 'open' ? 'pending' : settled,
    createdAt,
    expiresAt: keptUntil(elicitation),
    metadata: {
      ...metadata,
      ...(type !== undefined && { type }),
      assent: JSON.stringify(toElicitationRow(elicitation)),
    },
  }
}

function recordIn(elicitation: StoredElicitation | undefined | null): Kept | undefined {
  const row = elicitation?.metadata?.assent
  return typeof row === 'string' ? fromElicitationRow(JSON.parse(row) as ElicitationRow) : undefined
}

function resultIn({ id, state, requester, type }: Kept): StoredResult | undefined {
  if (state.kind !== 'answered') return undefined
  const isYes = state.answer.action === 'accept'
  return {
    elicitationId: id,
    success: isYes,
    action: isYes ? 'confirm' : 'cancel',
    completedAt: state.at,
    userId: requester.participant,
    ...(type !== undefined && { type }),
  }
}
