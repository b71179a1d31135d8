import type { AuditEntry } from '../audit/entry.ts'
import { answerLink } from './answering/answer-link.ts'
import type { Desk } from './desk.ts'
import {
  applyEvent,
  approverReason,
  type Elicitation,
  type ElicitationEvent,
  type ElicitationId,
} from './elicitation.ts'

/** The question as it stands now, or undefined if it is gone. A question whose time is over is settled as expired first. */
export async function get(desk: Desk, id: ElicitationId): Promise<Elicitation | undefined> {
  const kept = await desk.store.get(id)
  return kept && saveEvent(desk, kept, { kind: 'looked-at', at: desk.clock.now() })
}

/**
 * Applies an event to a record and returns the record as it is then: settled by this event if it came first, else by the
 * event that did. Undefined if the record was deleted meanwhile. The audit entry is written before the record is saved,
 * so that no settled question is missing from the audit, whatever breaks in between.
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
    const entry = settlingEntry(next)
    await desk.audit.record(entry)
    if (await desk.store.saveIfUnchanged(next)) return settled(desk, next)
    await desk.audit.record({ ...entry, kind: 'settling-late' })
    current = await desk.store.get(kept.id)
  }
  return undefined
}

function settled(desk: Desk, elicitation: Elicitation): Elicitation {
  desk.events.tell({ kind: 'settled', elicitation })
  announce(desk, elicitation)
  return elicitation
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

/** Of a settled record: `applyEvent` leaves an open one as it is, or settles it. */
function settlingEntry(elicitation: Elicitation): AuditEntry {
  const { id, state, requester, purpose } = elicitation
  const kind = `question-${state.kind as Exclude<typeof state.kind, 'open'>}` as const
  if (state.kind !== 'answered') {
    const data = { purpose, ...('reason' in state && { reason: state.reason }) }
    return { kind, who: requester.participant, about: id, data }
  }
  const { answer, by } = state
  const reason = approverReason(elicitation)
  return {
    kind,
    who: by.participant,
    about: id,
    data: { purpose, action: answer.action, via: by.via, client: by.client, passkey: by.passkey },
    ...(reason !== undefined && { keep: { reason } }),
  }
}
