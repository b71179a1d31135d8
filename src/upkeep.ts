import type { Times } from './assent-options.ts'
import { forgetInAudit } from './audit/forget.ts'
import type { AuditLog } from './audit/log.ts'
import { pruneAudit } from './audit/prune.ts'
import { giveWay } from './base/give-way.ts'
import { atMostEvery, every } from './base/repeat.ts'
import { deleteSteps } from './call/delete-steps.ts'
import type { Connections } from './connection/connections.ts'
import type { Desk } from './elicitation/desk.ts'
import { deleteSettled, escalateDue, expire } from './elicitation/expire.ts'
import type { ParticipantId } from './participant/participant.ts'
import type { Store } from './stores/store.ts'

/** What one tidying did. */
export interface Tidied {
  /** Questions whose time was over, and which are settled as expired now. */
  readonly expired: number
  /** Questions that others are asked now too. */
  readonly escalated: number
  readonly deletedQuestions: number
  /** Events of the audit. */
  readonly deletedEvents: number
  /** Remembered steps of walks. */
  readonly deletedSteps: number
}

/** What forgetting a participant deleted. */
export interface Forgotten {
  readonly deletedQuestions: number
  readonly deletedConnections: number
  readonly deletedGrants: number
}

/** Keeps the store from growing, and forgets people. */
interface Upkeep {
  tidy(): Promise<Tidied>
  forget(participant: ParticipantId): Promise<Forgotten>
  /** Tidies no more; resolves when a tidying that is under way has ended. */
  stop(): Promise<void>
}

/** What upkeep works on, and how long old records are kept. */
interface UpkeepParts {
  readonly desk: Desk
  readonly store: Store
  /** Of the audit. */
  readonly key: Buffer
  readonly audit: AuditLog
  readonly connections: Connections
  readonly retain: Times['retain']
  /** How often to tidy, in milliseconds; 0 for never. */
  readonly everyMs: number
  /** What is wrong with this machine's clock; undefined if nothing is. */
  clockProblem(): string | undefined
}

const oneHour = 3_600_000
const oneDay = 24 * oneHour
/** An instance that has said nothing for so long is forgotten, and mail that nobody took is deleted. */
const unseenMs = 600_000
/** One tidying deletes at most so many records of each kind; the next one continues. */
const atOnce = 1_000

/** Starts tidying at an interval. */
export function startUpkeep(parts: UpkeepParts): Upkeep {
  const { desk, retain, everyMs, clockProblem } = parts
  const isTimeToPrune = atMostEvery(oneHour, desk.clock)
  const isTimeToWarn = atMostEvery(oneHour, desk.clock)
  const tidyAtInterval = () => {
    const problem = clockProblem()
    if (problem !== undefined && isTimeToWarn()) desk.events.tell({ kind: 'clock-wrong', problem })
    // Pruning the audit writes to it, so it is not done at every interval.
    return tidyUp(parts, isTimeToPrune() ? retain : { ...retain, audit: undefined })
  }
  return {
    tidy: () => tidyUp(parts, retain),
    forget: (participant) => forget(parts, participant),
    stop: every(everyMs, tidyAtInterval, (error) => desk.events.tell({ kind: 'tidy-failed', error })),
  }
}

async function tidyUp({ desk, store, key, audit }: UpkeepParts, retain: Times['retain']): Promise<Tidied> {
  const before = (ms: number) => new Date(desk.clock.now().getTime() - ms)
  const expired = await expire(desk)
  const escalated = await escalateDue(desk)
  const deletedQuestions = retain.settled === undefined ? 0 : await deleteSettled(desk, before(retain.settled))
  const deletedEvents =
    retain.audit === undefined
      ? 0
      : await pruneAudit({ store: store.audit, key, log: audit, moment: before(retain.audit) })
  const now = desk.clock.now()
  const deletedSteps = await deleteSteps(store.steps, now)
  await store.connections.deleteFlows(now, atOnce)
  await store.usage.deleteUsage(now, atOnce)
  await store.browsers.deleteOver(now, atOnce)
  await store.tokens.deleteOver(now, atOnce)
  await store.pushes.deleteOver(now, atOnce)
  await store.instances.deleteUnseen(before(unseenMs), atOnce)
  await store.mailbox.deleteMail(before(unseenMs), atOnce)
  await store.sessions.deleteExpired(now, atOnce)
  await store.rollups.deleteBefore('hour', before(retain.hourlyCounts), atOnce)
  await store.rollups.deleteBefore('day', before(retain.dailyCounts), atOnce)
  await store.holdings.deleteExpired(now, atOnce)
  // A grant outlives its question: from an answer that is still there it would be made again, and count again.
  if (retain.settled !== undefined) await store.grants.deleteOver(before(retain.settled + oneDay), atOnce)
  if (deletedQuestions + deletedEvents + deletedSteps > 0) while (await store.shrink()) await giveWay()
  return { expired, escalated, deletedQuestions, deletedEvents, deletedSteps }
}

async function forget({ store, audit, connections }: UpkeepParts, participant: ParticipantId): Promise<Forgotten> {
  const held = await connections.list(participant)
  // Revoked at the provider where that can be done. A connection that cannot be revoked is deleted all the same.
  await Promise.allSettled(held.map(({ provider }) => connections.disconnect(participant, provider)))
  const left = await store.connections.forget(participant)
  // Before the grants: from an answer that is still there, its grant would be made again.
  const deletedQuestions = await store.elicitations.forget(participant)
  const deletedGrants = await store.grants.forget(participant)
  await store.browsers.forget(participant)
  await store.passkeys.forget(participant)
  await store.tokens.forget(participant)
  await store.pushes.forget(participant)
  await forgetInAudit({ store: store.audit, log: audit, participant })
  return { deletedQuestions, deletedConnections: Math.max(held.length, left), deletedGrants }
}
