import type { AuditEntry } from '../audit/entry.ts'
import { inBackground } from '../base/under-way.ts'
import type { ApprovalDesk } from './desk.ts'
import type { Grant } from './grant/grant.ts'
import type { LateEnds } from './late-ends.ts'
import { giveBack, type Portion } from './limits/limits.ts'
import type { ToolCall } from './tool-call.ts'

/** A started call whose result is ready. */
export interface EndedCall {
  readonly walkId: string
  readonly call: ToolCall
  readonly outcome: 'done' | 'failed'
  /** What it took of limits; given back if it was surely not sent. */
  readonly taken?: readonly Portion[]
  readonly unsent?: boolean
  /** What was spent on it, if anything was. */
  readonly grant?: Grant
}

/** What recording ends needs besides the desk. */
export interface FinishDesk extends ApprovalDesk {
  readonly lateEnds: LateEnds
  /** Told of a record that the store did not take; it is tried again. */
  endUnrecorded(error: unknown): void
}

/** A result is not kept from its client for longer than this by a store that does not answer. */
const mostWaitMs = 2_000

/**
 * Remembers how a started call ended; a copy of its walk that comes later is told. Never rejects: what ran is told as
 * having run, whatever the store does, and a record that it does not take now is made later, marked as late.
 */
export async function finish(desk: FinishDesk, ended: EndedCall): Promise<void> {
  await new Promise<void>((resolve) => {
    const callOff = desk.clock.after(mostWaitMs, resolve)
    const recorded = recordOrLater(desk, ended, () => recordEnd(desk, ended)).then(() => {
      callOff()
      resolve()
    })
    inBackground(recorded)
  })
}

/** The same for a call on which no yes was spent, kept a moment later: that it ran is on record since it started. */
export function finishSoon(desk: FinishDesk, ended: EndedCall): Promise<void> {
  return recordOrLater(desk, ended, () => desk.audit.recordSoon(entryFor(ended)))
}

async function recordOrLater(desk: FinishDesk, ended: EndedCall, record: () => Promise<void>): Promise<void> {
  const endedAt = desk.clock.now()
  try {
    await record()
  } catch (error) {
    desk.endUnrecorded(error)
    desk.lateEnds.add(() => recordEnd(desk, ended, endedAt))
  }
}

async function recordEnd(desk: FinishDesk, ended: EndedCall, lateFrom?: Date): Promise<void> {
  await desk.audit.record(entryFor(ended, lateFrom))
  if (ended.unsent && ended.taken !== undefined) await giveBack(desk, ended.taken)
  const { grant, outcome } = ended
  if (grant?.uses.kind !== 'once' || grant.uses.spent === undefined) return
  const uses = { ...grant.uses, spent: { ...grant.uses.spent, outcome } }
  await desk.store.saveIfUnchanged({ ...grant, version: grant.version + 1, uses })
}

function entryFor({ call, walkId, outcome }: EndedCall, lateFrom?: Date): AuditEntry {
  const { server, tool, requester } = call
  const late = lateFrom && { late: true, endedAt: lateFrom.toISOString() }
  return { kind: 'call-finished', who: requester.participant, about: walkId, data: { outcome, server, tool, ...late } }
}
