import { AssentError } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import { rememberUntil } from '../../call/step.ts'
import type { Elicitation, ElicitationId, Question } from '../../elicitation/elicitation.ts'
import { formParams, urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import {
  answeredUnseen,
  clientAnswer,
  isUnseen,
  mostTries,
  recordUnseen,
  refusalIn,
  refusedBy,
  tooManyTries,
  wordsFor,
} from '../answers.ts'
import { recordAnswered, recordAsked } from '../carried-question.ts'
import type { RequestContext } from '../context.ts'
import type { AskedForm } from '../form.ts'
import { clientOf, openPage, type PageAsk } from '../page.ts'
import { callQuestion, useAnswer } from '../waiting/same-call.ts'
import type { Round } from './round.ts'
import type { AnsweredAsk, PendingAsk, Refused } from './walk-state.ts'

const revision = '2026-07-28'

/** A handler asked another question under a key than it did when it ran before. */
export class AskedDifferently extends AssentError {
  readonly code = 'asked_differently'
  constructor(key: string) {
    super(
      `Question "${key}" differs from the one that this call asked before. A handler runs again from the top after each answer and must ask the same questions each time: give each question a key of its own, and do not let questions depend on anything that changes in between.`,
    )
  }
}

/** Asks a 2026 client by a form. Its answer proves only that this client sent it, and is kept in the sealed state alone. */
export async function putForm(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown } | typeof answeredUnseen> {
  const { walk } = context
  const { fingerprint } = form
  const answered = sameQuestion(key, walk.answered, fingerprint)
  if (answered?.refused !== undefined) throw refusedAs(answered.refused)
  if (answered !== undefined) {
    if (isYes) await spendAgain(context, key)
    return stillValid(await form.read(answered.value))
  }
  const pending = sameQuestion(key, walk.pending, fingerprint)
  if (pending?.elsewhere !== undefined) return answeredUnseen
  const question = { key, mode: 'form', purpose: isYes ? 'confirm' : 'input' } as const

  // A yes counts only for a question that was asked. Other input a client may send along without being asked.
  const given =
    pending !== undefined || (!context.isRetry && !isYes) ? clientAnswer(context.responses.get(key)) : undefined
  if (given === undefined) {
    if (pending === undefined) await recordAsked(context, question)
    return put(context, round, key, form, pending ?? { fingerprint, askedAt: context.assent.clock.now().getTime() })
  }
  if (given.action !== 'accept') {
    if (await isNobodys(context, key, pending, given.action)) return answeredUnseen
    // A no is the answer too: the same state cannot bring a yes later.
    if (isYes) await spendYes(context, key)
    await recordAnswered(context, question, given.action, pending?.askedAt)
    throw refuse(context, key, fingerprint, given.action)
  }

  const { lift } = formParams(form.message, form.schema, revision)
  const read = await form.read(lift(given.content ?? {}))
  if (read.kind === 'invalid') {
    const tries = (pending?.tries ?? 0) + 1
    if (tries >= mostTries) {
      refuse(context, key, fingerprint, 'invalid')
      throw tooManyTries(read.errors)
    }
    return put(context, round, key, form, { ...pending, fingerprint, tries, problem: wordsFor(read.errors) })
  }
  if (isYes) await spendYes(context, key)
  await recordAnswered(context, question, 'accept', pending?.askedAt)
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, value: read.content as Json }
  return { value: read.value }
}

function put(
  { walk }: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  pending: PendingAsk,
): Promise<never> {
  walk.pending[key] = pending
  const message = pending.problem === undefined ? form.message : `${form.message}\n\n${pending.problem}`
  return round.put(key, formParams(message, form.schema, revision).params)
}

/** Whether a client answered without showing the question to anybody. Where there is an inbox, the question goes on there. */
export async function isNobodys(
  context: RequestContext,
  key: string,
  pending: PendingAsk | undefined,
  action: string,
): Promise<boolean> {
  if (!context.inbox() || pending?.askedAt === undefined) return false
  const waitedMs = context.assent.clock.now().getTime() - pending.askedAt
  if (!isUnseen(context, waitedMs)) return false
  await recordUnseen(context, pending.record ?? context.walk.id, action, waitedMs)
  context.walk.pending[key] = { ...pending, elsewhere: answeredUnseen }
  return true
}

/** Asks a 2026 client to send the person to a page. Accept is consent to open it; then retries are held until it is done. */
export async function putPage(
  context: RequestContext,
  round: Round,
  key: string,
  ask: PageAsk,
): Promise<Elicitation | typeof answeredUnseen> {
  const { walk, assent } = context
  const { fingerprint } = ask
  const isYes = ask.purpose === 'confirm'
  const answered = sameQuestion(key, walk.answered, fingerprint)
  if (answered?.record !== undefined) {
    if (isYes) await spendAgain(context, key)
    const kept = await assent.get(answered.record)
    if (kept === undefined) throw new AskRefused('failed', 'The answer was deleted.', 'deleted')
    return kept
  }
  const pending = sameQuestion(key, walk.pending, fingerprint)
  if (pending?.elsewhere !== undefined) return answeredUnseen
  if (pending?.record !== undefined) {
    const given = clientAnswer(context.responses.get(key))
    if (given !== undefined && (await isNobodys(context, key, pending, given.action))) return answeredUnseen
    const kept = await assent.get(pending.record)
    if (kept?.question.mode === 'url') {
      return putOpenPage(context, round, { key, fingerprint, id: kept.id, question: kept.question, isYes })
    }
  }
  const { id, question } = await openPage(context, callQuestion(context, key, ask), ask)
  return putOpenPage(context, round, { key, fingerprint, id, question, isYes })
}

/** A question that is kept and open, to be answered on a page. */
interface OpenPage {
  readonly key: string
  readonly fingerprint: string
  readonly id: ElicitationId
  readonly question: Extract<Question, { mode: 'url' }>
  readonly isYes: boolean
}

/** The same for a question that is kept already. */
export async function putOpenPage(context: RequestContext, round: Round, page: OpenPage): Promise<Elicitation> {
  const { walk, assent, clocks } = context
  const { key, fingerprint, id, question, isYes } = page
  const pending = sameQuestion(key, walk.pending, fingerprint)
  if (pending?.record !== id) {
    walk.pending[key] = { fingerprint, record: id, askedAt: assent.clock.now().getTime() }
    return round.put(key, urlParams(question, id, revision, context.ownQuirks))
  }
  const given = clientAnswer(context.responses.get(key))
  if (given !== undefined && given.action !== 'accept')
    await assent.answer(id, clientOf(context), { action: given.action })
  const hasOpened = pending.opened === true || given?.action === 'accept'

  // Kept before the wait: another question may end the round meanwhile.
  if (hasOpened) walk.pending[key] = { ...pending, opened: true }
  const timeoutMs = hasOpened ? clocks.hold : 0
  const seen = await round.hold(() => assent.wait(id, { timeoutMs, signal: round.signal }))
  if (seen.state.kind === 'open') {
    if (hasOpened) return round.rest()
    // The client did not answer this one, so it is asked again (M26-20).
    return round.put(key, urlParams(question, id, revision, context.ownQuirks))
  }
  // Another walk of the same call may wait for the same answer: a yes is for one of them.
  await useAnswer(context, { isShared: false }, seen, isYes)
  const refusal = refusalIn(seen)
  if (refusal !== undefined) throw refusal
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, record: id }
  return seen
}

/** A handler may catch a no and go on. When it runs again it must meet the same no. */
function refuse({ walk }: RequestContext, key: string, fingerprint: string, action: Refused): AskRefused {
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, refused: action }
  return refusedAs(action)
}

function refusedAs(action: Refused): AskRefused {
  return action === 'invalid' ? tooManyTries([]) : refusedBy(action)
}

/** What the walk's state holds about this question. Throws `AskedDifferently` if it holds another one under the same key. */
export function sameQuestion<Kept extends AnsweredAsk | PendingAsk>(
  key: string,
  all: Record<string, Kept>,
  fingerprint: string,
) {
  const kept = Object.hasOwn(all, key) ? all[key] : undefined
  if (kept !== undefined && kept.fingerprint !== fingerprint) throw new AskedDifferently(key)
  return kept
}

function stillValid(read: Awaited<ReturnType<AskedForm['read']>>): { value: unknown } {
  // It was valid when it was sealed; the author's schema may have changed with a new version of the server.
  if (read.kind === 'invalid') throw tooManyTries(read.errors)
  return { value: read.value }
}

/** Uses a yes up where it lets the walk continue (M26-11): the same state, sent again, finds it spent. */
export async function spendYes(context: RequestContext, key: string): Promise<void> {
  await spend(context, `yes ${key}`)
}

/** Every later state of the walk carries the yes, so each of these states counts once as well. */
export async function spendAgain(context: RequestContext, key: string): Promise<void> {
  await spend(context, `again ${context.walk.round ?? 0} ${key}`)
}

async function spend(context: RequestContext, name: string): Promise<void> {
  if (await claimOnce(context, name)) return
  throw new AskRefused('already-run', 'This yes was used already. Nothing was done again.')
}

/** Claims something that this walk may do once. False: it was claimed before, by whichever process. */
export async function claimOnce({ assent, walk, clocks }: RequestContext, name: string): Promise<boolean> {
  // For longer than any state can bring it again: this one, or one that was sealed just now.
  const stateEnds = Math.max(walk.expiresAt ?? 0, assent.clock.now().getTime() + clocks.state)
  const claimed = await assent.store.steps.claim({ walkId: walk.id, name }, rememberUntil(new Date(stateEnds)))
  return claimed.kind === 'claimed'
}
