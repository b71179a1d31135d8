import { answerLink } from './answering/answer-link.ts'
import type { Desk } from './desk.ts'
import { applyEvent, type Elicitation, type ElicitationEvent, type ElicitationId, isSettled } from './elicitation.ts'
import { asksAnew, asLate, changeEntries } from './voting/change-entries.ts'

/** The question as it stands now, or undefined if it is gone. A question whose time is over is settled as expired first. */
export async function get(desk: Desk, id: ElicitationId): Promise<Elicitation | undefined> {
  const kept = await desk.store.get(id)
  return kept && saveEvent(desk, kept, { kind: 'looked-at', at: desk.clock.now() })
}

/**
 * Applies an event to a record and returns the record as it is then: changed by this event if it counts, else as it was.
 * Undefined if the record was deleted meanwhile. The audit entries are written before the record is saved, so that
 * nothing counts that is missing from the audit, whatever breaks in between.
 */
export async function saveEvent(
  desk: Desk,
  kept: Elicitation,
  event: ElicitationEvent,
): Promise<Elicitation | undefined> {
  let current: Elicitation | undefined = kept
  while (current !== undefined) {
    const next = applyEvent(current, event)
    if (next === current) return current
    const entries = changeEntries(current, next)
    for (const entry of entries) await desk.audit.record(entry)
    if (await desk.store.saveIfUnchanged(next)) return tellChange(desk, current, next)
    for (const entry of entries) await desk.audit.record(asLate(entry))
    current = await desk.store.get(kept.id)
  }
  return undefined
}

function tellChange(desk: Desk, before: Elicitation, next: Elicitation): Elicitation {
  desk.events.tell({ kind: isSettled(next) ? 'settled' : 'changed', elicitation: next })
  // A plain vote asks nobody anything new.
  if (isSettled(next) || asksAnew(before, next)) announce(desk, next)
  return next
}

/** Tells the channels, which may be slow or down: the question does not wait for them, and their failure is news. */
export function announce(desk: Desk, elicitation: Elicitation): void {
  for (const channel of desk.channels) {
    const failed = (error: unknown) =>
      desk.events.tell({ kind: 'channel-failed', elicitation, channel: channel.name, error })
    try {
      channel.tell(elicitation, answerLink(desk.linkTo, elicitation)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
