import type { Via } from '../answering/answerers.ts'
import {
  actsFor,
  answerersNow,
  countedVotes,
  type GivenVote,
  isUsed,
  noVoting,
  type Part,
  partOf,
  quorumOf,
  type Vote,
  type VotedOn,
  type Voting,
} from './voting.ts'

/** Why a vote does not count. `voted`: it counted before. */
export type VoteProblem = 'no-part' | 'own-request' | 'changed' | 'part-used' | 'voted'

/** The same in words for the one who voted. */
export const voteProblemWords: Readonly<Record<Exclude<VoteProblem, 'voted'>, string>> = {
  'no-part': 'You handed this question on, so it is not yours to answer any more.',
  'own-request': 'This call was requested for you, so your own yes does not count. You can still deny it.',
  'part-used': 'Somebody else in the group that it was handed to has answered already, and it is one vote.',
  changed: 'The arguments were changed since you opened this question. Look at them again before you answer.',
}

/** Why this vote does not count; undefined: it does. A no counts from everybody who has a part. */
export function voteProblem(question: VotedOn, vote: GivenVote): VoteProblem | undefined {
  const part = partOf(question, vote.person)
  if (part === undefined) return 'no-part'
  if (!vote.isYes) return undefined
  const { participant } = vote.person
  if (quorumOf(question) > 1 && actsFor(question.requester, participant)) return 'own-request'
  // Nobody says yes to what they were not shown.
  if (vote.seen !== digestNow(question, vote)) return 'changed'
  const isSame = vote.digest === vote.seen
  if (isSame && countedVotes(question).some(({ by }) => by === participant)) return 'voted'
  return isSame && isUsed(question, part) ? 'part-used' : undefined
}

/** Of what would run now: as asked for, or as an approver changed it. */
function digestNow({ voting }: VotedOn, { original }: GivenVote): string {
  return voting?.edit?.digest ?? original
}

/** What is gathered with this vote, which must count. A yes to changed arguments begins the count anew. */
export function withVote(question: VotedOn, vote: GivenVote, at: Date, via: Via): Voting {
  const { voting = noVoting } = question
  const { person, choice, digest, reason } = vote
  const { delegation } = partOf(question, person) as Part
  const cast: Vote = {
    by: person.participant,
    choice,
    at,
    via,
    digest,
    ...(reason !== undefined && { reason }),
    ...(delegation !== undefined && { part: delegation }),
  }
  if (!vote.isYes || digest === digestNow(question, vote)) return { ...voting, votes: [...voting.votes, cast] }
  return {
    ...voting,
    votes: [cast],
    outdated: [...voting.outdated, ...voting.votes],
    edit: { by: person.participant, at, digest, content: vote.edits },
  }
}

/** Whether as many different people as the question needs said yes to one and the same thing. */
export function hasQuorum(question: Pick<VotedOn, 'answerers' | 'voting'>): boolean {
  const quorum = quorumOf(question)
  if (quorum === 1) return true
  const votes = countedVotes(question)
  const people = new Set(votes.map(({ by }) => by))
  return people.size >= quorum && votes.every(({ digest }) => digest === votes[0]?.digest)
}

/** How many yeses are still missing. */
export function missingVotes(question: Pick<VotedOn, 'answerers' | 'voting'>): number {
  return Math.max(0, quorumOf(question) - countedVotes(question).length)
}

/** Whose yes an open question still needs, in words such as "a yes of anyone in ops". `self` stands for the requester. */
export function missingYes(
  question: Pick<VotedOn, 'answerers' | 'voting'>,
  { participant }: { readonly participant: string },
  self: string,
): string {
  const missing = missingVotes(question)
  const names = answerersNow(question).map((name) => {
    if (name === participant) return self
    return name.startsWith('group:') ? `anyone in ${name.slice('group:'.length)}` : name
  })
  return `${missing > 1 ? `${missing} yeses` : 'a yes'} of ${names.join(' or ')}`
}
