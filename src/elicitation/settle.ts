import type { AuditEntry } from '../audit/entry.ts'
import { answerLink } from './answering/answer-link.ts'
import type { Desk } from './desk.ts'
import { applyEvent, type Elicitation, type ElicitationEvent, type ElicitationId } from './elicitation.ts'
import { ElicitationNotFound } from './errors.ts'

/** The kept record, whatever it is by now. */
export async function read(desk: Desk, id: ElicitationId): Promise<Elicitation> {
  const kept = await desk.store.get(id)
  if (kept === undefined) throw new ElicitationNotFound(id)
  return kept
}

/** The question as it stands now: one whose time is over is found expired, also when nobody looked before. */
export async function look(desk: Desk, id: ElicitationId): Promise<Elicitation> {
  return saveEvent(desk, await read(desk, id), { kind: 'looked-at', at: desk.clock.now() })
}

/**
 * Lets an event happen to a record, and gives back what it is then: settled by us if we were first, else by the winner.
 * What is about to be settled is recorded before it is saved: whatever breaks in between, the audit has no hole.
 */
export async function saveEvent(desk: Desk, kept: Elicitation, event: ElicitationEvent): Promise<Elicitation> {
  for (let current = kept; ; current = await read(desk, kept.id)) {
    const next = applyEvent(current, event)
    if (next === current) return current
    const entry = settlingEntry(next)
    await desk.audit.record(entry)
    if (await desk.store.saveIfUnchanged(next)) return settled(desk, next)
    await desk.audit.record({ ...entry, kind: 'settling-late' })
  }
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
function settlingEntry({ id, state, requester, purpose }: Elicitation): AuditEntry {
  const kind = `question-${state.kind as Exclude<typeof state.kind, 'open'>}` as const
  if (state.kind !== 'answered') {
    const data = { purpose, ...('reason' in state && { reason: state.reason }) }
    return { kind, who: requester.participant, about: id, data }
  }
  const { answer, by } = state
  return {
    kind,
    who: by.participant,
    about: id,
    data: { purpose, action: answer.action, via: by.via, client: by.client },
  }
}
