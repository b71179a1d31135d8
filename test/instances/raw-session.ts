import { onTestFinished } from 'vitest'

/** Who sends, and where to. */
export interface Sender {
  readonly url: URL
  readonly token?: string
  readonly session?: string
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly result?: { readonly content?: { readonly text: string }[] }
  readonly error?: { readonly message: string }
}

/** A call whose stream is read message by message. */
export interface SessionCall {
  /** The next message on it. Throws when the stream ends without one. */
  next(): Promise<Message>
}

function post({ url, token, session }: Sender, message: object, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal && { signal }),
  })
}

async function statusOf(sending: Promise<Response>): Promise<number> {
  const response = await sending
  await response.text()
  return response.status
}

/** Opens a 2025 session, with nothing done by an SDK. Returns its id. */
export async function beginSession(sender: Sender, capabilities: object): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } }
  const response = await post(sender, { id: 1, method: 'initialize', params })
  await response.text()
  const session = response.headers.get('mcp-session-id') ?? ''
  await statusOf(post({ ...sender, session }, { method: 'notifications/initialized' }))
  return session
}

export async function callTool(sender: Sender, id: number, params: object): Promise<SessionCall> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await post(sender, { id, method: 'tools/call', params }, leaving.signal)
  const messages = messagesIn(response.body as ReadableStream<Uint8Array>)
  return {
    async next() {
      const { value, done } = await messages.next()
      if (done) throw new Error('The stream ended.')
      return value
    },
  }
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, undefined> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (/^data: *\{/.test(line)) yield JSON.parse(line.slice('data:'.length))
  }
}

/** Answers what was pushed under this id. Returns the status of the reply. */
export const answerTo = (sender: Sender, id: string, result: object) => statusOf(post(sender, { id, result }))

export const cancel = (sender: Sender, requestId: number) =>
  statusOf(post(sender, { method: 'notifications/cancelled', params: { requestId } }))

export const listTools = (sender: Sender) => statusOf(post(sender, { id: 2, method: 'tools/list', params: {} }))

export const endSession = ({ url, token, session = '' }: Sender) =>
  statusOf(
    fetch(url, {
      method: 'DELETE',
      headers: { 'mcp-session-id': session, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    }),
  )
