import type { AuditKind } from '../../audit/kinds.ts'
import type { JsonObject } from '../../base/json.ts'
import type { OwnEvent } from './own-events.ts'

/** One audit event as a sentence for the person it concerns. Names nobody else. */
export function eventWords({ kind, data, isOwn }: OwnEvent): string {
  return wordsOfEvent({ kind, data }, isOwn ? 'You' : 'Someone else')
}

/** One audit event as a sentence. `who` stands for the one who did it. */
export function wordsOfEvent({ kind, data }: Pick<OwnEvent, 'kind' | 'data'>, who: string): string {
  const say = Object.hasOwn(sentences, kind) ? sentences[kind as AuditKind] : undefined
  return say === undefined ? kindWords(kind, data) : say(data, who)
}

type Sentence = (data: JsonObject, who: string) => string

const text = (data: JsonObject, name: string) => (typeof data[name] === 'string' ? data[name] : '')
const tool = (data: JsonObject) => `${text(data, 'tool') || 'every tool'} on ${text(data, 'server')}`
const provider = (data: JsonObject) => text(data, 'provider') || 'an account'

const purposes: Readonly<Record<string, string>> = {
  approval: 'whether a call may run',
  secret: 'for a key',
  confirm: 'for a yes',
  connect: 'to connect an account',
  input: 'for an answer',
}

const actions: Readonly<Record<string, string>> = {
  accept: 'answered a question',
  decline: 'declined a question',
  cancel: 'cancelled a question',
}

const sentences: Readonly<Partial<Record<AuditKind, Sentence>>> = {
  'question-asked': (data) =>
    `${text(data, 'server')} asked ${purposes[text(data, 'purpose')] ?? 'a question'}, through ${text(data, 'client')}`,
  'question-joined': () => 'The same question was asked again while it was open',
  'question-refused': () => 'A question was not asked, because too many were open',
  'question-answered': (data, who) => `${who} ${actions[text(data, 'action')] ?? 'answered a question'}${via(data)}`,
  'question-expired': () => 'Nobody answered a question in time',
  'question-withdrawn': () => 'A question was withdrawn',
  'question-failed': () => 'A question could not be answered',
  'vote-cast': (data, who) =>
    `${who} said ${text(data, 'choice') === 'deny' ? 'no' : 'yes'} to a question that needs several${via(data)}`,
  'question-delegated': (data, who) =>
    data.received === true ? `${who} was handed a question` : `${who} handed a question on${via(data)}`,
  'question-escalated': () => 'Others were asked too, because a question was still open',
  'settling-late': (_, who) => `${who} answered a question that was already settled`,
  'answer-refused': (_, who) => `${who} gave an answer that was refused`,
  'page-refused': (_, who) => `${who} tried to open a page that was refused`,
  'call-started': (data) => `${tool(data)} was called for ${text(data, 'client')}`,
  'call-finished': (data) => `The call of ${tool(data)} ended: ${text(data, 'outcome')}`,
  'call-refused': (data) => `A call of ${tool(data)} was refused`,
  'allowed-unasked': (data) => `${tool(data)} was called without a question, because nobody could be asked`,
  'grant-made': (data, who) =>
    `${who} ${text(data, 'effect') === 'deny' ? 'denied' : 'allowed'} ${tool(data)} ${reachWords(data)}`,
  'grant-revoked': (data, who) => `${who} revoked a permission for ${tool(data)}`,
  'grant-spent': () => 'A yes for one call was used',
  'grant-spent-late': () => 'A yes for one call had already been used, so the call did not run',
  paused: (_, who) => `${who} paused everything`,
  resumed: (_, who) => `${who} resumed everything`,
  'connect-begun': (data, who) => `${who} started to connect ${provider(data)}`,
  connected: (data) => `${provider(data)} was connected`,
  'connect-denied': (data) => `Connecting ${provider(data)} was declined there`,
  'connect-failed': (data) => `Connecting ${provider(data)} failed`,
  'connect-refused': (data) => `Connecting ${provider(data)} was refused here`,
  'connection-renewed': (data) => `The access to ${provider(data)} was renewed`,
  'connection-not-renewed': (data) => `The access to ${provider(data)} could not be renewed`,
  'connection-refused': (data) => `${provider(data)} refused to renew the access; connect it again`,
  'connection-rejected': (data) => `${provider(data)} did not accept the stored access`,
  disconnected: (data) => `${provider(data)} was disconnected`,
  'connection-let-go': (data) =>
    data.revokedThere === true
      ? `The access to ${provider(data)} was revoked there`
      : `The access to ${provider(data)} could not be revoked there`,
  'browser-added': (_, who) => `A browser was added that can answer for ${whom(who)}`,
  'browser-removed': () => 'A browser was removed',
  'push-added': () => 'Notifications were switched on in a browser',
  'push-removed': () => 'Notifications ended in a browser',
  'passkey-added': (_, who) => `A passkey was added with which ${who === 'Somebody' ? 'its person' : 'you'} can sign`,
  'passkey-revoked': (data) => `A passkey was revoked${text(data, 'by') === 'operator' ? ' by the operator' : ''}`,
  'passkey-refused': () => 'A passkey was not accepted',
}

const whom = (who: string) => (who === 'Somebody' ? 'its person' : 'you')

function via(data: JsonObject): string {
  switch (text(data, 'via')) {
    case '':
      return ''
    case 'client':
      return ', through a client'
    case 'inbox':
      return ', in the inbox'
    case 'terminal':
      return ', at a terminal'
    case 'passkey':
      return ', signed with a passkey'
    default:
      return `, on a ${text(data, 'via')}`
  }
}

/** What a choice such as `always_allow/tool/hour/this` covers. */
function reachWords(data: JsonObject): string {
  const [, , lasts] = text(data, 'choice').split('/')
  switch (lasts) {
    case undefined:
      return 'once'
    case 'hour':
      return 'for an hour'
    case 'day':
      return 'for a day'
    default:
      return 'until revoked'
  }
}

/** The kind itself, such as "Keys rotated (notes)", for events that have no sentence here. */
function kindWords(kind: string, data: JsonObject): string {
  const plain = kind.replaceAll('-', ' ')
  const about = text(data, 'provider') || text(data, 'server')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${about === '' ? '' : ` (${about})`}`
}
