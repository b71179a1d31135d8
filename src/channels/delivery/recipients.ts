import { approvalIn } from '../../approval/question/subject.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { answerersNow, noVoting } from '../../elicitation/voting/voting.ts'

/** Addresses by participant or group, such as `group:payments`. `*` is for everybody without an address of their own. */
export type AddressBook = Readonly<Record<string, readonly string[]>>

/** The addresses of those whom the last change of a question asks: each once. */
export function addressesToTell(elicitation: Elicitation, book: AddressBook, channel: string): string[] {
  const found = namesToTell(elicitation, channel).flatMap((name) => entry(book, name) ?? entry(book, '*') ?? [])
  return [...new Set(found)]
}

/** The people and groups whom this channel tells of the last change of a question. */
export function namesToTell(elicitation: Elicitation, channel: string): readonly string[] {
  if (!isToldBy(elicitation, channel)) return []
  const { voting = noVoting } = elicitation
  const isFirst = [voting.edit ?? [], voting.escalations, voting.delegations].flat().length === 0
  const named = isFirst ? namedIn(elicitation).filter((name) => !isChannelName(name)) : []
  return named.length > 0 ? named : askedLast(elicitation)
}

/** Whether a channel tells of this question: all do, unless its rule names some. */
export function isToldBy(elicitation: Elicitation, channel: string): boolean {
  const channels = namedIn(elicitation).filter(isChannelName)
  return channels.length === 0 || channels.includes(`${channelPrefix}${channel}`)
}

const channelPrefix = 'channel:'
const isChannelName = (name: string) => name.startsWith(channelPrefix)

/** Whom, and which channels, the rule that asks names. */
export function namedIn(elicitation: Elicitation): readonly string[] {
  return approvalIn(elicitation)?.decision.notify ?? []
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
