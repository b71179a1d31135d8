import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AuthInfo, isJsonContentType } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../base/json.ts'
import type { RequestHead } from '../../base/request-source.ts'
import { bodyOfMessage } from './body.ts'
import type { Authenticate } from './guard/authenticate.ts'
import type { NodeListener } from './node.ts'
import type { FoundSession, Sessions } from './session/sessions.ts'

/** A POST that came through the door: who sent it is known, its body is an object, and its 2025 session is theirs. */
export interface Post {
  /** Each came once. */
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
  readonly authInfo: AuthInfo | undefined
  readonly session: FoundSession | undefined
  readonly reply: ServerResponse
}

/** Answers a POST without a server of the SDK, or leaves it alone; `left` is for whoever serves it then. */
export type FastPath = (post: Post) => Promise<'answered' | { readonly left?: object }>

/** What a shortcut needs to know of the endpoint that it is part of. */
export interface Door {
  isOpen(): boolean
  /** Judges as the endpoint itself does. */
  mayEnter(request: RequestHead, address: string | undefined): boolean
  readonly authenticate: Authenticate | undefined
  readonly find: Sessions['find']
  readonly bodyBytes: number
  onError(error: unknown): void
}

/** Tries the shortcut on what is in order, and serves all else as usual: whatever is to be refused is refused there. */
export function fastPathListener(fastPath: FastPath, usual: NodeListener, door: Door): RequestListener {
  return (message, reply) => {
    if (!door.isOpen() || !isInOrder(message, door)) return usual(message, reply)
    tryFirst(fastPath, usual, door, message, reply).catch((error) => {
      door.onError(error)
      // A client that hears nothing would wait, or send it again.
      if (reply.headersSent) reply.destroy()
      else reply.writeHead(500, { 'content-type': 'application/json' }).end(internalError)
    })
  }
}

const internalError = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_603, message: 'Internal server error' },
})

async function tryFirst(
  fastPath: FastPath,
  usual: NodeListener,
  { authenticate, find, bodyBytes }: Door,
  message: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const { headers } = message
  const authInfo = authenticate === undefined ? undefined : await authenticate(headers.authorization ?? null)
  // What a stranger sends is not read.
  if (authInfo instanceof Response) return usual(message, reply, { authInfo, text: '' })
  const text = await bodyOfMessage(message)(bodyBytes)
  const body = text === undefined ? undefined : parse(text)
  if (!isPlainObject(body)) return usual(message, reply, { authInfo, text })
  const id = headers['mcp-session-id']
  const session = typeof id === 'string' ? find(id, authInfo) : undefined
  const end = await fastPath({ headers, body, authInfo, session, reply })
  if (end !== 'answered') usual(message, reply, { authInfo, text, handover: end.left })
}

function isInOrder(message: IncomingMessage, { mayEnter }: Door): boolean {
  const { method, url = '', headers, rawHeaders, socket } = message
  if (method !== 'POST' || !isJsonContentType(headers['content-type'] ?? null)) return false
  // One that came twice may mean one thing here and another there.
  if (Object.keys(headers).length * 2 !== rawHeaders.length) return false
  if (headers.host === undefined) return false
  return mayEnter(
    { url, headers: { get: (name) => (headers[name] as string | undefined) ?? null, has: (name) => name in headers } },
    socket.remoteAddress,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
