import { AssentError } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { formParams, urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { clientAnswer, mostTries, refusalIn, refusedBy, tooManyTries, wordsFor } from '../answers.ts'
import type { Visit } from '../context.ts'
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
  visit: Visit,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { walk } = visit
  const answered = sameQuestion(key, walk.a, form.fingerprint)
  if (answered?.x !== undefined) throw refusedAs(answered.x)
  if (answered !== undefined) {
    if (isYes) await spendAgain(visit, key)
    return stillValid(await form.read(answered.v))
  }
  const pending = sameQuestion(key, walk.p, form.fingerprint)

  // A yes counts only for a question that was put; anything else a client may tell without being asked.
  const given = pending !== undefined || (!visit.isRetry && !isYes) ? clientAnswer(visit.responses.get(key)) : undefined
  if (given === undefined) return put(visit, round, key, form, pending ?? { f: form.fingerprint })
  if (given.action !== 'accept') {
    // A no is the answer too: the same state cannot bring a yes later.
    if (isYes) await spendYes(visit, key)
    await audit(visit, 'question-answered', { key, action: given.action })
    throw refuse(visit, key, form.fingerprint, given.action)
  }

  const { lift } = formParams(form.message, form.schema, revision)
  const read = await form.read(lift(given.content ?? {}))
  if (read.kind === 'invalid') {
    const tries = (pending?.t ?? 0) + 1
    if (tries >= mostTries) {
      refuse(visit, key, form.fingerprint, 'invalid')
      throw tooManyTries(read.errors)
    }
    return put(visit, round, key, form, { f: form.fingerprint, t: tries, e: wordsFor(read.errors) })
  }
  if (isYes) await spendYes(visit, key)
  await audit(visit, 'question-answered', { key, action: 'accept' })
  delete walk.p[key]
  walk.a[key] = { f: form.fingerprint, v: read.content as Json }
  return { value: read.value }
}

async function put(visit: Visit, round: Round, key: string, form: AskedForm, pending: PendingAsk): Promise<never> {
  visit.walk.p[key] = pending
  await audit(visit, 'question-asked', { key, mode: 'form', server: visit.name })
  const message = pending.e === undefined ? form.message : `${form.message}\n\n${pending.e}`
  return round.put(key, formParams(message, form.schema, revision).params)
}

/** Asks a 2026 client to send the person to a page. Accept is consent to open it; then the retry is held until it is done. */
export async function putPage(visit: Visit, round: Round, key: string, ask: PageAsk): Promise<Elicitation> {
  const { walk, assent, clocks } = visit
  const answered = sameQuestion(key, walk.a, ask.fingerprint)
  const isYes = ask.purpose === 'confirm'
  if (answered?.r !== undefined) {
    if (isYes) await spendAgain(visit, key)
    return assent.look(answered.r)
  }

  const pending = sameQuestion(key, walk.p, ask.fingerprint)
  if (pending?.r === undefined) {
    const { id, question } = await openPage(visit, aboutOf(visit, key), ask)
    walk.p[key] = { f: ask.fingerprint, r: id }
    return round.put(key, urlParams(question, id, revision))
  }
  const { r: id } = pending
  const given = clientAnswer(visit.responses.get(key))
  if (given !== undefined && given.action !== 'accept')
    await assent.answer(id, clientOf(visit), { action: given.action })
  const hasOpened = pending.o === true || given?.action === 'accept'

  // Kept before the wait: another question may end the round meanwhile.
  if (hasOpened) walk.p[key] = { ...pending, o: true }
  const timeoutMs = hasOpened ? clocks.hold : 0
  const seen = await round.hold(() => assent.wait(id, { timeoutMs, signal: round.signal }))
  if (seen.state.kind === 'open') {
    if (hasOpened) return round.rest()
    // The client did not answer this one: it is asked again (M26-20).
    return round.put(key, urlParams(pageQuestion(seen), id, revision))
  }
  const refusal = refusalIn(seen)
  if (refusal !== undefined) throw refusal
  if (isYes) await spendYes(visit, key)
  delete walk.p[key]
  walk.a[key] = { f: ask.fingerprint, r: id }
  return seen
}

/** A handler may go another way after a no, and is walked again: it must meet the same no. */
function refuse({ walk }: Visit, key: string, fingerprint: string, action: Refused): AskRefused {
  delete walk.p[key]
  walk.a[key] = { f: fingerprint, x: action }
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
  if (kept !== undefined && kept.f !== fingerprint) throw new AskedDifferently(key)
  return kept
}

function stillValid(read: Awaited<ReturnType<AskedForm['read']>>): { value: unknown } {
  // It was valid when it was sealed; the author's schema may have changed with a new version of the server.
  if (read.kind === 'invalid') throw tooManyTries(read.errors)
  return { value: read.value }
}

/** A yes is used up where it lets the walk go on (M26-11): the same state sent again finds it spent. */
export function spendYes(visit: Visit, key: string): Promise<void> {
  return spend(visit, `yes ${key}`)
}

/** Each later state of the walk carries the yes with it, so each of them counts once too. */
export function spendAgain(visit: Visit, key: string): Promise<void> {
  return spend(visit, `again ${visit.walk.n ?? 0} ${key}`)
}

async function spend({ assent, walk, clocks }: Visit, name: string): Promise<void> {
  // Longer than any state that could bring it again, also by the clock of another machine.
  const until = new Date(assent.clock.now().getTime() + 2 * clocks.state)
  const claimed = await assent.store.steps.claim({ walk: walk.w, name }, until)
  if (claimed.kind !== 'claimed')
    throw new AskRefused('already-run', 'This yes was used already. Nothing was done again.')
}

async function audit({ assent, call, walk }: Visit, kind: string, data: Record<string, string>): Promise<void> {
  const { participant, client } = call.requester
  await assent.record({ kind, who: participant, about: walk.w, data: { ...data, client, via: 'client' } })
}
