import type { AuditEntry } from '../../audit/entry.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { isGroup } from '../answering/names.ts'
import { approverReason, type Elicitation, isSettled } from '../elicitation.ts'
import { noVoting } from './voting.ts'

/** What the audit says of a change, oldest first: who was asked too, who voted or handed it on, how it ended. */
export function changeEntries(before: Elicitation, next: Elicitation): AuditEntry[] {
  return [
    ...escalationEntries(before, next),
    ...delegationEntries(before, next),
    ...voteEntries(before, next),
    ...(isSettled(next) ? [settlingEntry(next)] : []),
  ]
}

/** The entry that says that the one before it changed nothing: somebody else was first. */
export function asLate(entry: AuditEntry): AuditEntry {
  const isSettling = entry.kind.startsWith('question-') && entry.kind !== 'question-delegated'
  if (isSettling && entry.kind !== 'question-escalated') return { ...entry, kind: 'settling-late' }
  const { keep: _, ...rest } = entry
  return { ...rest, kind: 'change-late', data: { ...entry.data, of: entry.kind } }
}

/** Whether somebody is asked, or something, that was not before: others, or the same people about changed arguments. */
export function asksAnew(before: Elicitation, next: Elicitation): boolean {
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
