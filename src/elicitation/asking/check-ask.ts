import { formatDuration } from '../../base/durations.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Desk } from '../desk.ts'
import type { ConnectTo, ElicitationId, Purpose, Question } from '../elicitation.ts'
import { BadQuestion } from '../errors.ts'
import { checkForm } from '../form/check.ts'
import type { FormSchema } from '../form/schema.ts'
import { refuseSecrets } from '../form/secrets/secrets.ts'
import type { ElicitationLimits } from '../limits.ts'
import { checkMessage } from '../limits.ts'
import { isProviderName, providerNameRule } from './provider-name.ts'
import type { Ask, AskedQuestion } from './request.ts'
import { checkUrl } from './url.ts'

/** Letters, digits and `-_.:/`, so that a type can stand in a url, a log and an index. */
const typePattern = /^[\w.:/-]{1,128}$/
const pagePattern = /^[\w-]{1,64}$/
/** What an OAuth scope may be written with (RFC 6749). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const mostScopes = 64
const connectPage = 'connect'

/** What a page for a secret asks for when nobody said. */
const apiKeyForm: FormSchema = {
  type: 'object',
  properties: { apiKey: { type: 'string', title: 'API key', minLength: 1 } },
  required: ['apiKey'],
}

/** Refuses what must not be asked, before anything is kept. */
export function checkAsk(limits: ElicitationLimits, { question, ...ask }: Ask): void {
  checkMessage(limits, question.message)
  if (ask.type !== undefined && !typePattern.test(ask.type)) {
    throw new BadQuestion('A type has 1 to 128 letters, digits or -_.:/ such as api-key-stripe.')
  }
  if (ask.anyOf?.length === 0) throw new BadQuestion('A question needs someone who may answer it.')
  checkTime(limits, ask.expiresInMs)
  checkSize('Metadata has', limits.metadataBytes, ask.metadata)
  checkSize('What a question is about has', limits.subjectBytes, ask.subject)
  checkMode(question, ask)
}

/** The question as it is kept: its schema checked and cleaned, its url checked. */
export function checkedQuestion(desk: Desk, id: ElicitationId, { question, purpose }: Ask): Question {
  const { message } = question
  if (question.mode === 'form') {
    const schema = checkForm(question.schema, desk.limits.form)
    refuseSecrets(schema, wordsOf(question, purpose))
    return { mode: 'form', message, schema }
  }
  if ('url' in question) return { mode: 'url', message, url: checkUrl(question.url) }
  if ('connect' in question) {
    const { provider, scopes } = question.connect
    const connect = { provider, scopes: [...scopes] }
    return { mode: 'url', message, url: checkUrl(desk.linkTo(id, connectPage, connect)), page: connectPage, connect }
  }

  const { page } = question
  const url = checkUrl(desk.linkTo(id, page))
  const schema = question.schema ?? (purpose === 'secret' ? apiKeyForm : undefined)
  if (schema === undefined) return { mode: 'url', message, url, page }
  const checked = checkForm(schema, desk.limits.form)
  // A page of ours may take a secret, but only where the answer will be sealed.
  if (purpose !== 'secret') refuseSecrets(checked, wordsOf(question, purpose))
  return { mode: 'url', message, url, page, schema: checked }
}

/** An approval names the tool, which may well be called set_password; who words one by themselves is checked there. */
function wordsOf({ message }: AskedQuestion, purpose: Purpose | undefined): string {
  return purpose === 'approval' ? '' : message
}

function checkTime({ longestMs }: ElicitationLimits, expiresInMs: number | undefined): void {
  if (expiresInMs === undefined) return
  if (!(expiresInMs > 0 && expiresInMs <= longestMs)) {
    throw new BadQuestion(`A question stays open for at most ${formatDuration(longestMs)}, and not for nothing.`)
  }
}

function checkSize(what: string, most: number, value: JsonObject | undefined): void {
  if (value === undefined || Buffer.byteLength(JSON.stringify(value)) <= most) return
  throw new BadQuestion(`${what} at most ${most} bytes.`)
}

function checkMode(question: AskedQuestion, { purpose, through }: Omit<Ask, 'question'>): void {
  if ('page' in question && !pagePattern.test(question.page)) {
    throw new BadQuestion('A page is named by 1 to 64 letters, digits, - or _.')
  }
  if ('connect' in question) checkConnect(question.connect, purpose)
  else if (purpose === 'connect') throw new BadQuestion('A connection is asked for by naming its provider.')
  if (question.mode === 'url') return
  // E11-02: sensitive data goes by url, never through a form in the client.
  if (purpose === 'secret' || purpose === 'connect')
    throw new BadQuestion('A secret is asked for by url, never by a form.')
  if (through !== undefined && through !== 'client')
    throw new BadQuestion('A question that must be answered on a page is asked by url.')
}

function checkConnect({ provider, scopes }: ConnectTo, purpose: Purpose | undefined): void {
  if (purpose !== 'connect') throw new BadQuestion('What asks for a connection has the purpose connect.')
  if (!isProviderName(provider)) throw new BadQuestion(`The name of a provider is made of ${providerNameRule}.`)
  if (scopes.length > mostScopes || !scopes.every((scope) => scopePattern.test(scope))) {
    throw new BadQuestion(`Scopes are at most ${mostScopes} words without spaces or quotes.`)
  }
}
