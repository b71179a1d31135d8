import type { Answerer } from '../../elicitation/answering/answerers.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { answerersNow, noVoting } from '../../elicitation/voting/voting.ts'

/** Addresses by participant or group, such as `group:payments`. `*` is for everybody without an address of their own. */
export type AddressBook = Readonly<Record<string, readonly string[]>>

/** The addresses of those whom the last change of a question asks: each once. */
export function addressesToTell(elicitation: Elicitation, book: AddressBook): string[] {
  const found = askedLast(elicitation).flatMap((name) => entry(book, name) ?? entry(book, '*') ?? [])
  return [...new Set(found)]
}

/**
 * Whom the last change asks: at first everybody who may answer, then those to whom it was handed on or who are asked too,
 * and after an edit everybody but its author. It follows from the record alone, so that it does not matter which process
 * tells the channel.
 */
function askedLast(elicitation: Elicitation): readonly Answerer[] {
  const { answerers, voting = noVoting } = elicitation
  const { edit, escalations, delegations, votes } = voting
  const changes = [
    ...escalations,
    ...delegations.map(({ at, to }) => ({ at, to: [to] })),
    ...(edit ? [{ at: edit.at, to: answerersNow(elicitation) }] : []),
  ]
  const last = Math.max(...changes.map(({ at }) => at.getTime()))
  const asked = changes.filter(({ at }) => at.getTime() === last).flatMap(({ to }) => to)
  const isDone = new Set<string>([...votes.map(({ by }) => by), ...delegations.map(({ from }) => from)])
  return (changes.length === 0 ? answerers.anyOf : asked).filter((name) => !isDone.has(name))
}

/** Names come from logins: none of them may reach what every object has. */
function entry(book: AddressBook, name: string): readonly string[] | undefined {
  return Object.hasOwn(book, name) ? book[name] : undefined
}
