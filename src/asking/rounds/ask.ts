import type { AuditKind } from '../../audit/kinds.ts'
import { AssentError } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { mustExist } from '../../elicitation/errors.ts'
import { formParams, urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { clientAnswer, mostTries, refusalIn, refusedBy, tooManyTries, wordsFor } from '../answers.ts'
import type { RequestContext } from '../context.ts'
import type { AskedForm } from '../form.ts'
import { aboutOf, clientOf, openPage, type PageAsk } from '../page.ts'
import type { Round } from './round.ts'
import type { AnsweredAsk, PendingAsk, Refused } from './walk-state.ts'

const revision = '2026-07-28'

/** A handler that is walked again must ask what it asked before. */
export class AskedDifferently extends AssentError {
  readonly code = 'asked_differently'
  constructor(key: string) {
    super(
      `Question "${key}" was another one when this call was made first. A handler asks the same questions each time it is walked: give each a key of its own, and decide nothing by what changes in between.`,
    )
  }
}

/** Asks a 2026 client by a form. The answer is the client's word: it lives in the sealed state alone. */
export async function putForm(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { walk } = context
  const answered = sameQuestion(key, walk.answered, form.fingerprint)
  if (answered?.refused !== undefined) throw refusedAs(answered.refused)
  if (answered !== undefined) {
    if (isYes) await spendAgain(context, key)
    return stillValid(await form.read(answered.value))
  }
  const pending = sameQuestion(key, walk.pending, form.fingerprint)

  // A yes counts only for a question that was put; anything else a client may tell without being asked.
  const given =
    pending !== undefined || (!context.isRetry && !isYes) ? clientAnswer(context.responses.get(key)) : undefined
  if (given === undefined) return put(context, round, key, form, pending ?? { fingerprint: form.fingerprint })
  if (given.action !== 'accept') {
    // A no is the answer too: the same state cannot bring a yes later.
    if (isYes) await spendYes(context, key)
    await audit(context, 'question-answered', { key, action: given.action })
    throw refuse(context, key, form.fingerprint, given.action)
  }

  const { lift } = formParams(form.message, form.schema, revision)
  const read = await form.read(lift(given.content ?? {}))
  if (read.kind === 'invalid') {
    const tries = (pending?.tries ?? 0) + 1
    if (tries >= mostTries) {
      refuse(context, key, form.fingerprint, 'invalid')
      throw tooManyTries(read.errors)
    }
    return put(context, round, key, form, {
      fingerprint: form.fingerprint,
      tries: tries,
      problem: wordsFor(read.errors),
    })
  }
  if (isYes) await spendYes(context, key)
  await audit(context, 'question-answered', { key, action: 'accept' })
  delete walk.pending[key]
  walk.answered[key] = { fingerprint: form.fingerprint, value: read.content as Json }
  return { value: read.value }
}

async function put(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  pending: PendingAsk,
): Promise<never> {
  context.walk.pending[key] = pending
  await audit(context, 'question-asked', { key, mode: 'form', server: context.name })
  const message = pending.problem === undefined ? form.message : `${form.message}\n\n${pending.problem}`
  return round.put(key, formParams(message, form.schema, revision).params)
}

/** Asks a 2026 client to send the person to a page. Accept is consent to open it; then the retry is held until it is done. */
export async function putPage(context: RequestContext, round: Round, key: string, ask: PageAsk): Promise<Elicitation> {
  const { walk, assent, clocks } = context
  const answered = sameQuestion(key, walk.answered, ask.fingerprint)
  const isYes = ask.purpose === 'confirm'
  if (answered?.record !== undefined) {
    if (isYes) await spendAgain(context, key)
    return mustExist(await assent.get(answered.record), answered.record)
  }

  const pending = sameQuestion(key, walk.pending, ask.fingerprint)
  if (pending?.record === undefined) {
    const { id, question } = await openPage(context, aboutOf(context, key), ask)
    walk.pending[key] = { fingerprint: ask.fingerprint, record: id }
    return round.put(key, urlParams(question, id, revision))
  }
  const { record: id } = pending
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
    // The client did not answer this one: it is asked again (M26-20).
    return round.put(key, urlParams(pageQuestion(seen), id, revision))
  }
  const refusal = refusalIn(seen)
  if (refusal !== undefined) throw refusal
  if (isYes) await spendYes(context, key)
  delete walk.pending[key]
  walk.answered[key] = { fingerprint: ask.fingerprint, record: id }
  return seen
}

/** A handler may go another way after a no, and is walked again: it must meet the same no. */
function refuse({ walk }: RequestContext, key: string, fingerprint: string, action: Refused): AskRefused {
  delete walk.pending[key]
  walk.answered[key] = { fingerprint: fingerprint, refused: action }
  return refusedAs(action)
}

function refusedAs(action: Refused): AskRefused {
  return action === 'invalid' ? tooManyTries([]) : refusedBy(action)
}

function pageQuestion({ question }: Elicitation) {
  if (question.mode !== 'url') throw new TypeError('A page is asked for by url.')
  return question
}

/** What the walk knows of this question; another one under the same key is a mistake of the handler's. */
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

/** A yes is used up where it lets the walk go on (M26-11): the same state sent again finds it spent. */
export function spendYes(context: RequestContext, key: string): Promise<void> {
  return spend(context, `yes ${key}`)
}

/** Each later state of the walk carries the yes with it, so each of them counts once too. */
export function spendAgain(context: RequestContext, key: string): Promise<void> {
  return spend(context, `again ${context.walk.round ?? 0} ${key}`)
}

async function spend({ assent, walk, clocks }: RequestContext, name: string): Promise<void> {
  // Longer than any state that could bring it again, also by the clock of another machine.
  const until = new Date(assent.clock.now().getTime() + 2 * clocks.state)
  const claimed = await assent.store.steps.claim({ walkId: walk.id, name }, until)
  if (claimed.kind !== 'claimed')
    throw new AskRefused('already-run', 'This yes was used already. Nothing was done again.')
}

async function audit(
  { assent, call, walk }: RequestContext,
  kind: AuditKind,
  data: Record<string, string>,
): Promise<void> {
  const { participant, client } = call.requester
  await assent.record({ kind, who: participant, about: walk.id, data: { ...data, client, via: 'client' } })
}
