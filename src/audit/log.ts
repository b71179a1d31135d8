import type { Clock } from '../base/clock.ts'
import { BadArgument } from '../base/errors.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { createChainWriter } from './chain.ts'
import { type AuditEntry, draftOf, largestEntry, takeEntry } from './entry.ts'
import type { Pseudonym } from './event.ts'
import type { EventDraft } from './mac.ts'
import { rememberPseudonyms } from './pseudonyms.ts'
import type { AuditStore } from './store.ts'

/** Writes down what happens. */
export interface AuditLog {
  /** Resolves only when the event is kept, in the order of the calls. When it rejects, the event may be kept or not. */
  record(entry: AuditEntry): Promise<void>
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

interface Waiting {
  readonly entry: AuditEntry
  readonly at: Date
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

const mostAtOnce = 500

/** One chain of this process: whatever comes in while a write is under way is written together, in the next. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const { store, key, clock, headsEveryMs = 5 * 60_000, entryBytes = largestEntry } = options
  const chain = createChainWriter({ store, key, headsEveryMs })
  const pseudonyms = rememberPseudonyms(store)
  const queue: Waiting[] = []
  let writing: Promise<void> | undefined
  let emptying: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function enqueue(entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      queue.push({ entry: takeEntry(entry, entryBytes), at: clock.now(), done, failed })
      // Not at once: what is recorded in the same breath goes into the same write.
      emptying ??= Promise.resolve().then(empty)
    })
  }

  async function empty(): Promise<void> {
    while (queue.length > 0) {
      writing = write(queue.splice(0, mostAtOnce))
      await writing
    }
    emptying = undefined
  }

  async function write(batch: Waiting[]): Promise<void> {
    try {
      const names = await namesIn(batch)
      const drafts = batch.map(({ entry, at }) => draftOf(entry, at, entry.who && names.get(entry.who)))
      await chain.write(drafts as [EventDraft, ...EventDraft[]])
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  async function namesIn(batch: Waiting[]): Promise<Map<ParticipantId, Pseudonym>> {
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
    await emptying
    if (chain.isOpen()) await enqueue({ kind: 'chain-closed' })
  }

  return {
    async record(entry) {
      if (closing !== undefined) throw new BadArgument('The audit log is closed.', { detail: entry.kind })
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
