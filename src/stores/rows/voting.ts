import type { Voting } from '../../elicitation/voting/voting.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { forgottenParticipant } from './values.ts'

type Stored<T> = T extends Date
  ? number
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends string | number | boolean | undefined
      ? T
      : { readonly [Key in keyof T]: Stored<T[Key]> }

/** Votes, delegations and escalations as one JSON text, with times as milliseconds. */
export function toVotingText(voting: Voting | undefined): string | null {
  if (voting === undefined) return null
  return JSON.stringify(mapTimes(voting, (at) => (at as unknown as Date).getTime()))
}

/** The inverse of `toVotingText`. */
export function fromVotingText(text: string): Voting {
  return mapTimes(JSON.parse(text), (at) => new Date(at as number)) as unknown as Voting
}

/** Only these have times; what is inside a changed argument is left as it is. */
function mapTimes(voting: Stored<Voting> | Voting, map: (at: Date | number) => Date | number) {
  const timed = <T extends { readonly at: Date | number }>(one: T) => ({ ...one, at: map(one.at) })
  const { votes, outdated, delegations, escalations, edit } = voting as Voting
  return {
    votes: votes.map(timed),
    outdated: outdated.map(timed),
    delegations: delegations.map(timed),
    escalations: escalations.map(timed),
    ...(edit && { edit: timed(edit) }),
  }
}

/**
 * How the text names a participant, and what replaces it when they are forgotten. Their id has no character that JSON
 * escapes, and no content of an edit has these keys.
 */
export function namesInVoting(participant: ParticipantId): readonly (readonly [text: string, replaced: string])[] {
  const named = (key: string, name: string) => `"${key}":${JSON.stringify(name)}`
  return ['by', 'from', 'to'].map((key) => [named(key, participant), named(key, forgottenParticipant)] as const)
}
