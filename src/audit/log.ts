import type { Clock } from '../base/clock.ts'
import { BadArgument } from '../base/errors.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { createChainWriter, type SpelledDraft } from './chain/chain.ts'
import { type AuditEntry, draftOf, largestEntry, type TakenEntry, takeEntry } from './entry.ts'
import type { Pseudonym } from './event.ts'
import { rememberPseudonyms } from './pseudonyms.ts'
import type { AuditStore } from './store.ts'

/** Writes down what happens. */
export interface AuditLog {
  /** Resolves only when the event is kept, in the order of the calls. When it rejects, the event may be kept or not. */
  record(entry: AuditEntry): Promise<void>
  /**
   * As `record`, for what nobody waits for before they go on: it is kept with whatever is recorded next, or by itself
   * a moment later. A process that is killed in that moment loses it.
   */
  recordSoon(entry: AuditEntry): Promise<void>
  /** Asks the store anew who stands for this participant; resolves when nothing under way uses an older answer. */
  dropPseudonym(participant: ParticipantId): Promise<void>
  /** Waits for everything recorded, closes the chain, and refuses what comes after. */
  close(): Promise<void>
}

/** What a log is written with. */
export interface AuditLogOptions {
  store: AuditStore
  key: Buffer
  clock: Pick<Clock, 'now'>
  /** How long, at most, a busy chain goes without telling how far the others are. */
  headsEveryMs?: number
  /** What one entry may hold, in bytes of JSON. */
  entryBytes?: number
}

interface QueuedEntry {
  readonly entry: TakenEntry
  readonly at: Date
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

const mostAtOnce = 500
const soonMs = 20

/** One chain of this process: whatever comes in while a write is under way is written together, in the next. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const { store, key, clock, headsEveryMs = 5 * 60_000, entryBytes = largestEntry } = options
  const chain = createChainWriter({ store, key, headsEveryMs })
  const pseudonyms = rememberPseudonyms(store)
  const queue: QueuedEntry[] = []
  let writing: Promise<void> | undefined
  let emptying: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let isUrgent = false
  let soon: NodeJS.Timeout | undefined

  function enqueue(entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      queue.push({ entry: takeEntry(entry, entryBytes), at: clock.now(), done, failed })
    })
  }

  function emptyNow(): void {
    isUrgent = true
    // Not at once: what is recorded in the same breath goes into the same write.
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
      const drafts = batch.map(({ entry, at }) => ({
        draft: draftOf(entry, at, entry.who && names.get(entry.who)),
        spelled: entry.spelled,
      }))
      await chain.write(drafts as [SpelledDraft, ...SpelledDraft[]])
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  /** Undefined: some of them must be asked for. */
  function namesKnown(batch: QueuedEntry[]): Map<ParticipantId, Pseudonym> | undefined {
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
      // What is kept under the name of someone whom another process just forgot would never be erased.
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
      return recordNow(entry)
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
