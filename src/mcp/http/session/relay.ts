import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { isPlainObject, type Json, type JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { SessionSharing } from './sharing.ts'

/** What other instances tell about sessions. Each is called for sessions that this instance may not know. */
export interface Relayed {
  /** A message of the client that reached another instance. `opening`: which one of the session's an answer is for. */
  message(key: string, message: JSONRPCMessage, opening: string | undefined): void
  /** A message for the client, whose stream is here. */
  push(key: string, message: JSONRPCMessage): void
  /** The client opened its own stream at that instance. */
  stream(key: string, at: string): void
  /** The client asked for a log level. */
  level(key: string, level: string): void
  revoked(key: string): void
  /** Some of the above may not have been told to this instance. */
  missed(): void
}

/** Hears what other instances tell. Returns how to stop. */
export function hearOthers({ post }: SessionSharing, relayed: Relayed): () => void {
  const stops = [
    post.on('session-message', ({ key, message, opening }) =>
      relayed.message(String(key), asMessage(message), opening as string | undefined),
    ),
    post.on('session-push', ({ key, message }) => relayed.push(String(key), asMessage(message))),
    post.on('session-stream', ({ key }, from) => relayed.stream(String(key), from)),
    post.on('session-level', ({ key, level }) => relayed.level(String(key), String(level))),
    post.on('session-revoked', ({ key }) => relayed.revoked(String(key))),
    post.onMissed(relayed.missed),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const asMessage = (message: Json | undefined) => message as unknown as JSONRPCMessage

/** Notifications of a client that concern what it does at other instances too. */
const shared = new Set(['notifications/cancelled', 'notifications/initialized', 'notifications/roots/list_changed'])

/** Tells the other instances of a notification that concerns them too. */
export async function tellOthers({ post }: SessionSharing, key: string, body: unknown): Promise<void> {
  if (!isPlainObject(body) || 'id' in body || !shared.has(String(body.method))) return
  await post.sendAll({ kind: 'session-message', key, message: body as Json })
}

/** Tells another instance what is to be sent to a client. What cannot be told is lost, like what a client without a stream misses. */
export function pushAt({ post }: SessionSharing, at: string, key: string, message: JSONRPCMessage): void {
  inBackground(post.send(at, { kind: 'session-push', key, message: message as unknown as Json }).catch(() => {}))
}

/** The session that a client answers on, as this instance has opened it. */
export interface AnsweringSession {
  readonly key: string
  readonly opening: string
}

/** What of a client's message is for this instance: all of it, nothing, or nothing because the one that asked is gone. */
export type Routed =
  | { readonly kind: 'here'; readonly body: unknown }
  | { readonly kind: 'sent' }
  | { readonly kind: 'gone' }

/** Sends the answers in a client's message to the instances that wait for them. */
export async function routeAnswers(sharing: SessionSharing, session: AnsweringSession, body: unknown): Promise<Routed> {
  if (!Array.isArray(body)) return isAnswer(body) ? routeAnswer(sharing, session, body) : { kind: 'here', body }
  const routed = await Promise.all(body.map((one) => routeAnswers(sharing, session, one)))
  const here = routed.flatMap((one) => (one.kind === 'here' ? [one.body] : []))
  if (here.length > 0) return { kind: 'here', body: here }
  return routed.find(({ kind }) => kind === 'gone') ?? { kind: 'sent' }
}

async function routeAnswer(sharing: SessionSharing, session: AnsweringSession, body: JsonObject): Promise<Routed> {
  const { key } = session
  const address = await sharing.readAddress(key, String(body.id))
  if (address === undefined) return { kind: 'here', body }
  const { instance, request, opening } = address
  const message = { ...body, id: request }
  if (instance === sharing.post.id)
    return opening === session.opening ? { kind: 'here', body: message } : { kind: 'gone' }
  const isSent = await sharing.post.send(instance, { kind: 'session-message', key, message, opening })
  return { kind: isSent ? 'sent' : 'gone' }
}

function isAnswer(body: unknown): body is JsonObject {
  return isPlainObject(body) && typeof body.id === 'string' && !('method' in body)
}
