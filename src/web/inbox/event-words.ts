import type { JsonObject } from '../../base/json.ts'
import type { OwnEvent } from './own-events.ts'

/** One audit event as a sentence for the person it concerns. Names nobody else. */
export function eventWords({ kind, data, isOwn }: OwnEvent): string {
  const who = isOwn ? 'You' : 'Someone else'
  const say = words[kind]
  return say === undefined ? otherwise(kind, data) : say(data, who)
}

const text = (data: JsonObject, name: string) => (typeof data[name] === 'string' ? data[name] : '')
const tool = (data: JsonObject) => `${text(data, 'tool') || 'every tool'} of ${text(data, 'server')}`
const provider = (data: JsonObject) => text(data, 'provider') || 'an account'

const purposes: Readonly<Record<string, string>> = {
  approval: 'for a yes to a call',
  secret: 'for a key',
  confirm: 'for a yes',
  connect: 'to connect an account',
  input: 'for an answer',
}

const actions: Readonly<Record<string, string>> = {
  accept: 'answered a question',
  decline: 'said no to a question',
  cancel: 'left a question',
}

type Say = (data: JsonObject, who: string) => string

const words: Readonly<Record<string, Say>> = {
  'question-asked': (data) =>
    `${text(data, 'server')} asked ${purposes[text(data, 'purpose')] ?? 'a question'}, through ${text(data, 'client')}`,
  'question-joined': () => 'A question was asked again while it was open',
  'question-refused': () => 'A question was not asked, for too many were open',
  'question-answered': (data, who) => `${who} ${actions[text(data, 'action')] ?? 'answered a question'}${via(data)}`,
  'question-expired': () => 'Nobody answered a question in time',
  'question-withdrawn': () => 'A question was taken back',
  'question-failed': () => 'A question could not be answered',
  'settling-late': (_, who) => `${who} answered a question that was settled already`,
  'answer-refused': (_, who) => `${who} tried to answer in a way that does not count`,
  'page-refused': (_, who) => `${who} tried to open a page, and got none`,
  'grant-made': (data, who) =>
    `${who} ${text(data, 'effect') === 'deny' ? 'denied' : 'allowed'} ${tool(data)}${lasting(data)}`,
  'grant-revoked': (data, who) => `${who} revoked what was said about ${tool(data)}`,
  'grant-spent': () => 'A yes for one call was used',
  'grant-spent-late': () => 'A yes for one call was used already, and the call did not run',
  'call-started': (data) => `${text(data, 'tool')} of ${text(data, 'server')} was run for ${text(data, 'client')}`,
  'call-finished': (data) => `${text(data, 'tool')} of ${text(data, 'server')} ended: ${text(data, 'outcome')}`,
  paused: (_, who) => `${who} paused everything`,
  resumed: (_, who) => `${who} resumed everything`,
  'browser-added': () => 'A browser was let in to answer for you',
  'browser-removed': () => 'A browser was removed',
  'connect-begun': (data) => `Connecting ${provider(data)} was begun`,
  'connection-let-go': (data) => `${provider(data)} was disconnected`,
}

function via(data: JsonObject): string {
  const way = text(data, 'via')
  if (way === 'client') return ', through a client'
  return way === '' ? '' : `, ${way === 'inbox' ? 'in the inbox' : `on a ${way}`}`
}

function lasting(data: JsonObject): string {
  return text(data, 'choice') === 'allow_once' ? ', once' : ', lastingly'
}

/** The kind itself, such as "Connection refreshed (notes)". */
function otherwise(kind: string, data: JsonObject): string {
  const plain = kind.replaceAll('-', ' ')
  const about = text(data, 'provider') || text(data, 'server')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${about === '' ? '' : ` (${about})`}`
}
