import type { Clock } from '../base/clock.ts'
import { BadArgument } from '../base/errors.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { createChainWriter, type Drafts } from './chain/chain.ts'
import { type AuditEntry, draftOf, largestEntry, type TakenEntry, takeEntry } from './entry.ts'
import type { Pseudonym } from './event.ts'
import { rememberPseudonyms } from './pseudonyms.ts'
import type { AuditStore } from './store.ts'

/** Writes events to the audit. */
export interface AuditLog {
  /** Resolves when the event is stored, in the order of the calls. If it rejects, the event may be stored or not. */
  record(entry: AuditEntry): Promise<void>
  /**
   * Like `record`, without waiting: the event is stored when it returns. False: nothing was recorded, because the store
   * must be waited for, and `record` must be used. If it throws, the event may be stored or not.
   */
  recordAtOnce(entry: AuditEntry): boolean
  /**
   * Like `record`, for events that no one waits for: it is stored together with the next event, or by itself a moment
   * later. A process that is killed in that moment loses it.
   */
  recordSoon(entry: AuditEntry): Promise<void>
  /** Drops the cached pseudonym of this participant. Resolves when no write under way uses it. */
  dropPseudonym(participant: ParticipantId): Promise<void>
  /** Stores everything recorded so far, closes the chain, and refuses later entries. */
  close(): Promise<void>
}

/** What a log is written with. */
export interface AuditLogOptions {
  store: AuditStore
  key: Buffer
  clock: Pick<Clock, 'now'>
  /** How often, at least, a busy chain records the heads of the others. Default: 5 minutes. */
  headsEveryMs?: number
  /** The largest size of one entry, in bytes of JSON. Default: 64 KiB. */
  entryBytes?: number
  /** Called with each entry when it is stored. Must not throw. */
  see?: (entry: AuditEntry) => void
}

/** An entry, and when it happened. */
interface DatedEntry {
  readonly entry: TakenEntry
  readonly at: Date
}

interface QueuedEntry extends DatedEntry {
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

const mostAtOnce = 500
const soonMs = 20

/** Opens the chain of this process. Entries that arrive during a write are written together by the next one. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const { store, key, clock, headsEveryMs = 5 * 60_000, entryBytes = largestEntry, see = () => {} } = options
  const chain = createChainWriter({ store, key, headsEveryMs })
  const pseudonyms = rememberPseudonyms(store)
  const queue: QueuedEntry[] = []
  let writing: Promise<void> | undefined
  let emptying: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let isUrgent = false
  let soon: NodeJS.Timeout | undefined

  function enqueue(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, failed) => {
      const done = () => {
        see(entry)
        resolve()
      }
      queue.push({ entry: takeEntry(entry, entryBytes), at: clock.now(), done, failed })
    })
  }

  /** Stores what is queued and this entry, if nothing must be waited for. */
  function writeAtOnce(entry: AuditEntry): boolean {
    if (!store.appendsAtOnce || emptying !== undefined || entry.keep !== undefined || !chain.isOpen()) return false
    const batch: DatedEntry[] = queue.slice()
    batch.push({ entry: takeEntry(entry, entryBytes), at: clock.now() })
    const names = namesKnown(batch)
    if (names === undefined) return false
    try {
      if (!chain.writeAtOnce(draftsOf(batch, names))) return false
    } catch (error) {
      for (const { failed } of queue.splice(0)) failed(error)
      throw error
    }
    for (const { done } of queue.splice(0)) done()
    see(entry)
    return true
  }

  function emptyNow(): void {
    isUrgent = true
    // Deferred, so that entries recorded in the same tick go into one write.
    emptying ??= Promise.resolve().then(empty)
  }

  async function empty(): Promise<void> {
    clearTimeout(soon)
    soon = undefined
    while (isUrgent && queue.length > 0) {
      isUrgent = queue.length > mostAtOnce
      writing = write(queue.splice(0, mostAtOnce))
      await writing
    }
    emptying = undefined
  }

  async function write(batch: QueuedEntry[]): Promise<void> {
    try {
      const names = namesKnown(batch) ?? (await namesIn(batch))
      await chain.write(draftsOf(batch, names))
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  /** Undefined if some of them are not in the cache. */
  function namesKnown(batch: readonly DatedEntry[]): Map<ParticipantId, Pseudonym> | undefined {
    const names = new Map<ParticipantId, Pseudonym>()
    for (const { entry, at } of batch) {
      if (entry.who === undefined) continue
      const name = entry.keep === undefined ? pseudonyms.known(entry.who, at) : undefined
      if (name === undefined) return undefined
      names.set(entry.who, name)
    }
    return names
  }

  async function namesIn(batch: QueuedEntry[]): Promise<Map<ParticipantId, Pseudonym>> {
    const asked = new Map<ParticipantId, { at: Date; anew: boolean }>()
    for (const { entry, at } of batch) {
      if (entry.who === undefined) continue
      // If another process just forgot this participant, what is kept under the old pseudonym would never be erased.
      const anew = entry.keep !== undefined || asked.get(entry.who)?.anew === true
      asked.set(entry.who, { at, anew })
    }
    const named = [...asked].map(async ([participant, { at, anew }]) => {
      return [participant, await pseudonyms.of(participant, at, anew)] as const
    })
    return new Map(await Promise.all(named))
  }

  async function shut(): Promise<void> {
    if (queue.length > 0) emptyNow()
    await emptying
    if (chain.isOpen()) await recordNow({ kind: 'chain-closed' })
  }

  function recordNow(entry: AuditEntry): Promise<void> {
    const kept = enqueue(entry)
    emptyNow()
    return kept
  }

  function refuseIfClosed({ kind }: AuditEntry): void {
    if (closing !== undefined) throw new BadArgument('The audit log is closed.', { detail: kind })
  }

  return {
    async record(entry) {
      refuseIfClosed(entry)
      if (!writeAtOnce(entry)) await recordNow(entry)
    },
    recordAtOnce(entry) {
      refuseIfClosed(entry)
      return writeAtOnce(entry)
    },
    async recordSoon(entry) {
      refuseIfClosed(entry)
      soon ??= setTimeout(emptyNow, soonMs)
      return enqueue(entry)
    },
    async dropPseudonym(participant) {
      pseudonyms.drop(participant)
      await writing
      pseudonyms.drop(participant)
    },
    close() {
      closing ??= shut()
      return closing
    },
  }
}

function draftsOf(batch: readonly DatedEntry[], names: ReadonlyMap<ParticipantId, Pseudonym>): Drafts {
  const drafts = batch.map(({ entry, at }) => draftOf(entry, at, entry.who && names.get(entry.who)))
  return drafts as unknown as Drafts
}
