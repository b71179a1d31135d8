import { answerRefusal, ParticipantMismatch } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import { ElicitationNotFound, mustExist } from '../../elicitation/errors.ts'
import type { Person } from '../../participant/identify.ts'
import type { ConnectionDesk } from '../desk.ts'

/** A person who wants to answer a question by connecting an account. */
interface ConnectClaim {
  readonly id: ElicitationId
  readonly provider: string
  readonly person: Person
}

/**
 * The question in its present state, if it asks this person to connect this provider. Any other question is treated as
 * not found. Only the requester may connect their account, whoever else may answer.
 */
export async function connectQuestion(
  desk: ConnectionDesk,
  { id, provider, person }: ConnectClaim,
): Promise<Elicitation> {
  const asked = mustExist(await desk.questions.get(id), id)
  const { purpose, question, requester } = asked
  const connect = question.mode === 'url' ? question.connect : undefined
  if (purpose !== 'connect' || connect?.provider !== provider) throw new ElicitationNotFound(id)

  const isOwn = requester.participant === person.participant
  const refusal = isOwn
    ? answerRefusal(asked, { ...person, via: 'page' }, { action: 'accept' })
    : new ParticipantMismatch(asked, person.participant)
  if (refusal === undefined) return asked
  const data = { provider, reason: refusal.code }
  await desk.audit.record({ kind: 'connect-refused', who: person.participant, about: id, data })
  throw refusal
}
