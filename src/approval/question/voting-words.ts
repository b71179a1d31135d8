import { forgottenParticipant, groupPrefix, isGroup } from '../../elicitation/answering/answerers.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { missingVotes } from '../../elicitation/voting/count.ts'
import {
  actsFor,
  countedVotes,
  heldDelegations,
  noVoting,
  partOf,
  quorumOf,
  type Vote,
} from '../../elicitation/voting/voting.ts'
import type { Person } from '../../participant/identify.ts'

/** What people call somebody, by their name as a participant; `you` for the one who reads it. */
export type NameOf = (participant: string) => string

/** How an approval stands that several people decide, was handed on, or that others were asked too; one sentence each. */
export function votingWords(asked: Elicitation, nameOf: NameOf): string[] {
  const { voting = noVoting } = asked
  const quorum = quorumOf(asked)
  const who = (name: string) => (isGroup(name) ? `anyone in ${name.slice(groupPrefix.length)}` : nameOf(name))
  const first = (name: string) => {
    if (name === forgottenParticipant) return 'Somebody whose name was erased'
    return nameOf(name) === 'you' ? 'You' : nameOf(name)
  }
  const counted = new Set(isOpen(asked) ? countedVotes(asked) : voting.votes)
  if (quorum === 1 && voting === noVoting) return []
  const { edit } = voting
  return [
    ...(quorum > 1 ? [`${quorum} people must say yes. ${countWords(asked)}`] : []),
    ...voting.votes.map((vote) => {
      if (!counted.has(vote)) return `${first(vote.by)} said yes, which does not count any more.`
      return `${first(vote.by)} said ${yesOrNo(vote)}${reasonWords(vote)}`
    }),
    ...(edit === undefined ? [] : [`${first(edit.by)} changed the arguments, and the count started again.`]),
    ...voting.outdated.map(({ by }) => `${first(by)} said yes before that change, which does not count any more.`),
    ...voting.delegations.map(({ from, to }) => `${first(from)} handed it on to ${who(to)}.`),
    ...voting.escalations.map(({ to }) => `It was still open, so it also goes to ${to.map(who).join(' and ')}.`),
    ...(isOpen(asked)
      ? [`It waits for ${missingNames(asked).map(who).join(', ') || 'nobody who could still answer'}.`]
      : []),
  ]
}

const isOpen = ({ state }: Elicitation) => state.kind === 'open'

/** Who may still say yes: not who has, who handed it on, or whose own yes does not count. */
function missingNames(asked: Elicitation): string[] {
  const { delegations, escalations } = asked.voting ?? noVoting
  const isDone = (name: string) =>
    countedVotes(asked).some(({ by }) => by === name) ||
    delegations.some(({ from }) => from === name) ||
    (quorumOf(asked) > 1 && actsFor(asked.requester, name))
  const later = [...escalations.flatMap(({ to }) => to), ...heldDelegations(asked).map(({ to }) => to)]
  return [...new Set([...asked.answerers.anyOf, ...later])].filter((name) => !isDone(name))
}

/** The same in a line for a list: how many yeses there are, and what was changed. */
export function standingWords(asked: Elicitation): string[] {
  const quorum = quorumOf(asked)
  if (quorum === 1) return []
  const changed = asked.voting?.edit === undefined ? '' : ' The arguments were changed, and the count started again.'
  return [`${quorum - missingVotes(asked)} of ${quorum} people said yes.${changed}`]
}

function countWords(asked: Elicitation): string {
  const missing = missingVotes(asked)
  const said = quorumOf(asked) - missing
  return missing === 0 ? 'All have.' : `${said} so far, ${missing} missing.`
}

const yesOrNo = ({ choice }: Vote) => (choice.includes('deny') ? 'no' : 'yes')

const reasonWords = ({ reason }: Vote) => (reason === undefined ? '.' : `: “${reason}”`)

/** Why this person has nothing to answer at the moment; undefined: they have. */
export function doneWords(asked: Elicitation, person: Person): string | undefined {
  const { delegations } = asked.voting ?? noVoting
  if (delegations.some(({ from }) => from === person.participant)) return 'You handed this on.'
  if (countedVotes(asked).some(({ by }) => by === person.participant)) return 'You said yes. Now others must.'
  return partOf(asked, person) === undefined ? 'This is not yours to answer any more.' : undefined
}
