import type { AuditEntry } from '../audit/entry.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { answerLink } from './answering/answer-link.ts'
import { isGroup } from './answering/answerers.ts'
import { endOf } from './answering/may-answer.ts'
import type { Desk } from './desk.ts'
import {
  applyEvent,
  approverReason,
  type Elicitation,
  type ElicitationEvent,
  type ElicitationId,
  isSettled,
} from './elicitation.ts'
import { noVoting } from './voting/voting.ts'

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
  if (isSettled(next)) desk.attended.delete(next.id)
  desk.events.tell(
    isSettled(next)
      ? { kind: 'settled', elicitation: next, outcome: endOf(next) }
      : { kind: 'changed', elicitation: next },
  )
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

/** What the audit says of a change, oldest first: who was asked too, who voted or handed it on, how it ended. */
function changeEntries(before: Elicitation, next: Elicitation): AuditEntry[] {
  return [
    ...escalationEntries(before, next),
    ...delegationEntries(before, next),
    ...voteEntries(before, next),
    ...(isSettled(next) ? [settlingEntry(next)] : []),
  ]
}

/** The entry that says that the one before it changed nothing: somebody else was first. */
function asLate(entry: AuditEntry): AuditEntry {
  const isSettling = entry.kind.startsWith('question-') && entry.kind !== 'question-delegated'
  if (isSettling && entry.kind !== 'question-escalated') return { ...entry, kind: 'settling-late' }
  const { keep: _, ...rest } = entry
  return { ...rest, kind: 'change-late', data: { ...entry.data, of: entry.kind } }
}

/** Whether somebody is asked, or something, that was not before: others, or the same people about changed arguments. */
function asksAnew(before: Elicitation, next: Elicitation): boolean {
  const [old, now] = [before.voting ?? noVoting, next.voting ?? noVoting]
  return (
    now.escalations.length > old.escalations.length ||
    now.delegations.length > old.delegations.length ||
    now.edit !== old.edit
  )
}

function escalationEntries({ id, requester, voting = noVoting }: Elicitation, next: Elicitation): AuditEntry[] {
  const added = (next.voting ?? noVoting).escalations.slice(voting.escalations.length)
  return added.map(({ to }, index) => {
    const data = { step: voting.escalations.length + index + 1, people: to.length }
    return { kind: 'question-escalated', who: requester.participant, about: id, data }
  })
}

function delegationEntries({ id, voting = noVoting }: Elicitation, next: Elicitation): AuditEntry[] {
  const added = (next.voting ?? noVoting).delegations.slice(voting.delegations.length)
  // People are named by pseudonyms only, so whoever receives it has an entry of their own.
  return added.flatMap(({ from, to, via }): AuditEntry[] => {
    const given = { kind: 'question-delegated', about: id, data: { via } } as const
    if (isGroup(to)) return [{ ...given, who: from, data: { via, group: to } }]
    return [
      { ...given, who: from },
      { ...given, who: to as ParticipantId, data: { via, received: true } },
    ]
  })
}

function voteEntries(before: Elicitation, next: Elicitation): AuditEntry[] {
  const [old, now] = [before.voting ?? noVoting, next.voting ?? noVoting]
  const added = now.votes.filter((vote) => !old.votes.includes(vote))
  return added.map(({ by, choice, via, digest, reason }) => ({
    kind: 'vote-cast',
    who: by,
    about: next.id,
    data: { choice, via, digest, ...(now.edit !== old.edit && { edited: true, outdated: old.votes.length }) },
    ...(reason !== undefined && { keep: { reason } }),
  }))
}

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
