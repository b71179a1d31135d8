import type { Move, Turn } from './conversation.ts'

/** The body of a request, as JSON. Only what a dialect looks for is read from it. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes of four foreign APIs, of which only some fields are read
export type Json = any

/** What the model's server sends back: one JSON document, or events of a stream. */
export type Reply = { readonly json: Json } | { readonly events: readonly StreamEvent[] }

export interface StreamEvent {
  readonly name?: string
  readonly data: Json
}

/** An API by which clients speak to a model. */
export interface Dialect {
  isFor(path: string): boolean
  readTurn(body: Json): Turn
  reply(move: Move, body: Json, path: string): Reply
}

let made = 0

/** An id as the APIs have them: a prefix, and something that no other has. */
export function newId(prefix: string): string {
  made += 1
  return `${prefix}_${process.pid}x${made}`
}

/** The text of a message, whose content may be a text or a list of parts. */
export function textOf(content: Json): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content))
    return content.map((part) => part.text ?? (part.content ? textOf(part.content) : '')).join('\n')
  return content === undefined || content === null ? '' : JSON.stringify(content)
}
