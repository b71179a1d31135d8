import { isPlainObject, isText } from '../../base/json.ts'
import type { Person } from '../../participant/identify.ts'
import type { Desk } from '../desk.ts'
import {
  type Answer,
  type AnsweredBy,
  type Elicitation,
  type ElicitationId,
  isSettled,
  type KeptAnswer,
} from '../elicitation.ts'
import { mustExist } from '../errors.ts'
import type { Content, FormSchema } from '../form/schema.ts'
import { type FieldError, validateContent } from '../form/validate.ts'
import { get, saveEvent } from '../settle.ts'
import { voteProblem, voteProblemWords } from '../voting/count.ts'
import { type GivenVote, quorumOf } from '../voting/voting.ts'
import { answerIdentity } from './answer-identity.ts'
import type { Answered } from './answered.ts'
import type { Answerer, Answering } from './answerers.ts'
import { handOn } from './hand-on.ts'
import { answerRefusal, askedAs } from './may-answer.ts'
import type { AnswerSigning } from './signatures.ts'
import { whatIsSigned } from './signed-answer.ts'

/** How accepted answers are judged by the room that knows what a question is about. */
export interface AnswerRules {
  /** The part of the question's form that this content must fit. */
  formFor(asked: Elicitation, schema: FormSchema, content: unknown): FormSchema
  /** What is wrong with the content beyond its form; empty: nothing. */
  problemsWith(asked: Elicitation, answering: Answering, content: Content): readonly FieldError[]
  /** What the answer means as a vote; undefined for a question that is no approval. */
  voteOf(asked: Elicitation, answering: Answering, answer: Answer): CastVote | undefined
  /** To whom the content hands the question on; undefined: to nobody. */
  delegateOf(asked: Elicitation, content: Content): Answerer | undefined
}

/** A vote, and the answer that is kept if it is the last: as the question stands then, with all that was changed. */
export interface CastVote {
  readonly vote: GivenVote
  readonly answer: Answer
}

/** Answers, for every channel. Who may not answer learns nothing; of many who answer at once exactly one is kept. */
export async function answer(
  desk: Desk,
  id: ElicitationId,
  answering: Answering,
  given: Answer,
  rules: AnswerRules,
): Promise<Answered> {
  const judged = await judge(desk, id, answering, given, rules)
  if (judged.kind !== 'fits') return judged
  const { asked, answer: fitting } = judged
  const to = fitting.action === 'accept' ? rules.delegateOf(asked, fitting.content ?? {}) : undefined
  if (to !== undefined) return handOn(desk, asked, answering, to)
  // One of several who leaves says nothing for the others.
  if (fitting.action === 'cancel' && quorumOf(asked) > 1) return notForAll
  const signature = await verifySignature(desk, asked, answering, fitting)
  if (signature.kind === 'invalid') return signature

  const cast = rules.voteOf(asked, answering, fitting)
  const vote = cast?.vote
  const mine = await sealIfSecret(desk, asked, cast?.answer ?? fitting)
  const by = { ...answeredBy(asked, answering), ...signature.by }
  const event = { kind: 'answered', answer: mine, by, at: desk.clock.now(), ...(vote && { vote }) } as const
  const elicitation = mustExist(await saveEvent(desk, asked, event), id)
  const kept = elicitation.state.kind === 'answered' && elicitation.state.answer === mine
  if (kept || isSettled(elicitation)) return { kind: kept ? 'kept' : 'late', elicitation }
  return countedOr(elicitation, vote as GivenVote)
}

/** What a person must sign so that this answer counts. */
export type SigningAnswer =
  | { readonly kind: 'signing'; readonly signing: AnswerSigning }
  /** They have no passkey to sign with. */
  | { readonly kind: 'no-passkey' }
  | Extract<Answered, { kind: 'late' | 'invalid' }>

/** Lets a person sign an answer, after everything else about it was judged: nobody signs what would be refused. */
export async function beginSigningAnswer(
  desk: Desk,
  id: ElicitationId,
  person: Person,
  given: Answer,
  rules: AnswerRules,
): Promise<SigningAnswer> {
  const judged = await judge(desk, id, { ...person, via: 'passkey' }, given, rules)
  if (judged.kind !== 'fits') return judged
  const signing = await desk.signatures.begin(person.participant, whatIsSigned(judged.asked, judged.answer))
  return signing === undefined ? { kind: 'no-passkey' } : { kind: 'signing', signing }
}

type Judged =
  | { readonly kind: 'fits'; readonly asked: Elicitation; readonly answer: Answer }
  | Extract<Answered, { kind: 'late' | 'invalid' }>

/** Whether this person may give this answer, in this way, to the question as it stands. */
async function judge(
  desk: Desk,
  id: ElicitationId,
  answering: Answering,
  given: Answer,
  rules: AnswerRules,
): Promise<Judged> {
  const asked = mustExist(await get(desk, id), id)
  await refuseStrangers(desk, asked, answering, given)
  if (isSettled(asked)) return { kind: 'late', elicitation: asked }

  const checked = checkAnswer(desk, rules, asked, given)
  if (checked.kind === 'invalid') return checked
  const { answer: fitting } = checked
  const errors = fitting.action === 'accept' ? rules.problemsWith(asked, answering, fitting.content ?? {}) : []
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'fits', asked, answer: fitting }
}

type Signature =
  | { readonly kind: 'signed'; readonly by: Pick<AnsweredBy, 'passkey'> }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/** That an answer came with a passkey is believed of nobody: it is verified here, for every channel. */
async function verifySignature(
  desk: Desk,
  asked: Elicitation,
  { participant, via, signed }: Answering,
  fitting: Answer,
): Promise<Signature> {
  if (via !== 'passkey') return { kind: 'signed', by: {} }
  if (signed === undefined) return unsigned('Sign your answer with your passkey.')
  const verified = await desk.signatures.verify(participant, whatIsSigned(asked, fitting), signed)
  return verified.kind === 'refused'
    ? unsigned(verified.message)
    : { kind: 'signed', by: { passkey: verified.passkey } }
}

function unsigned(message: string): Signature {
  return { kind: 'invalid', errors: [{ field: '', message }] }
}

const notForAll: Answered = {
  kind: 'invalid',
  errors: [{ field: '', message: 'Several people decide this. Say yes or no, or leave it open.' }],
}

/** Of a vote that did not settle its question: it counts, or why it does not. */
function countedOr(elicitation: Elicitation, vote: GivenVote): Answered {
  const isCounted = elicitation.voting?.votes.some(
    ({ by, digest }) => by === vote.person.participant && digest === vote.digest,
  )
  if (isCounted) return { kind: 'counted', elicitation }
  const problem = voteProblem(elicitation, vote) as keyof typeof voteProblemWords
  return { kind: 'invalid', errors: [{ field: '', message: voteProblemWords[problem] }] }
}

/** Someone tried to answer for another: that is for the audit, whatever they are told. */
async function refuseStrangers(desk: Desk, asked: Elicitation, answering: Answering, given: Answer): Promise<void> {
  const refusal = answerRefusal(asked, answering, given)
  if (refusal === undefined) return
  const { participant, via, client } = answering
  const data = { reason: refusal.code, via, client }
  await desk.audit.record({ kind: 'answer-refused', who: participant, about: asked.id, data })
  desk.events.tell({ kind: 'answer-refused', elicitation: asked, reason: refusal.code })
  throw refusal
}

type Checked =
  | { readonly kind: 'valid'; readonly answer: Answer }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/** Only what was asked for is kept: an accept fits its form, a decline has a reason at most, a cancel nothing. */
function checkAnswer({ limits }: Desk, rules: AnswerRules, asked: Elicitation, given: Answer): Checked {
  switch (given.action) {
    case 'cancel':
      return { kind: 'valid', answer: { action: 'cancel' } }
    case 'decline': {
      if (typeof given.reason !== 'string') return { kind: 'valid', answer: { action: 'decline' } }
      if (isTooLong(given.reason, limits.answerBytes)) return tooLong(limits.answerBytes)
      return { kind: 'valid', answer: { action: 'decline', reason: given.reason } }
    }
    case 'accept': {
      const { schema } = asked.question
      if (schema === undefined) return withoutSchema(limits.answerBytes, asked, given.content)
      const content = given.content ?? {}
      const validated = validateContent(rules.formFor(asked, schema, content), content)
      if (validated.kind === 'invalid') return validated
      if (isTooLong(validated.content, limits.answerBytes)) return tooLong(limits.answerBytes)
      return { kind: 'valid', answer: { action: 'accept', content: validated.content } }
    }
  }
}

/** A page that asks for input and has no schema may be answered with any flat data. Every other accept carries nothing. */
function withoutSchema(bytes: number, { question, purpose }: Elicitation, content: unknown): Checked {
  const asksForData = question.mode === 'url' && purpose === 'input' && question.page !== 'confirm'
  if (!asksForData || !isPlainObject(content) || Object.keys(content).length === 0)
    return { kind: 'valid', answer: { action: 'accept' } }
  const wrong = Object.entries(content).filter(([name, value]) => !isText(name) || !isValue(value))
  if (wrong.length > 0) {
    const message = 'Use text, a number, a yes or no, or a list of texts.'
    return { kind: 'invalid', errors: wrong.map(([field]) => ({ field, message })) }
  }
  if (isTooLong(content, bytes)) return tooLong(bytes)
  return { kind: 'valid', answer: { action: 'accept', content: content as Content } }
}

function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => isText(item))
  return isText(value) || typeof value === 'boolean' || Number.isFinite(value)
}

function isTooLong(value: unknown, bytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > bytes
}

function tooLong(bytes: number): Checked {
  return { kind: 'invalid', errors: [{ field: '', message: `An answer has at most ${bytes} bytes.` }] }
}

async function sealIfSecret(desk: Desk, asked: Elicitation, given: Answer): Promise<KeptAnswer> {
  if (asked.purpose !== 'secret' || given.action !== 'accept' || given.content === undefined) return given
  return { action: 'accept', sealed: await desk.vault.seal(JSON.stringify(given.content), answerIdentity(asked)) }
}

function answeredBy(asked: Elicitation, answering: Answering): AnsweredBy {
  const { participant, via, client } = answering
  const as = askedAs(asked, answering)
  return {
    participant,
    via,
    ...(client !== undefined && { client }),
    ...(as !== undefined && as !== participant && { as }),
  }
}
