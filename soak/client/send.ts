import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'

/** How long a request may stay without an answer. Long: it ends what hangs, also where the machine is busy. */
export const timeoutMs = 60_000

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A request got no answer in time. */
export class NoAnswer extends Error {}

/** One request, and a listener for each message of its response stream. */
export interface SendOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
  /** Replaces the path of the url; need not be valid. */
  readonly path?: string
  onMessage?(message: Message): void
}

/** A JSON-RPC message of any kind. */
export type Message = Readonly<Record<string, unknown>>

/** Sends one HTTP request over persistent connections. Rejects with `NoAnswer`, or with the error of the connection. */
export function send(
  agent: Agent,
  url: URL,
  { method = 'POST', headers = {}, body = '', path = `${url.pathname}${url.search}`, onMessage }: SendOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': Buffer.byteLength(body) }
    const sent = request(url, { agent, method, path, headers: { ...headers, ...length } })
    let text = ''
    let read = 0
    const timer = setTimeout(() => {
      const what = `${method} ${path} ${body.slice(0, 300)}`
      reject(
        new NoAnswer(
          `No end of the response within ${timeoutMs} ms for ${what}. Received so far: ${text.slice(-1_000) || 'nothing'}`,
        ),
      )
      sent.destroy()
    }, timeoutMs)
    const done = (settle: () => void) => {
      clearTimeout(timer)
      settle()
    }
    sent.on('error', (error) => done(() => reject(error)))
    sent.on('response', (response) => {
      const answer = () => ({ status: response.statusCode ?? 0, headers: response.headers, text })
      // A GET stream does not end by itself.
      if (method === 'GET' && response.statusCode === 200) {
        done(() => resolve(answer()))
        return void response.destroy()
      }
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        if (onMessage === undefined) return
        const whole = text.lastIndexOf('\n') + 1
        for (const message of messagesIn(text.slice(read, whole))) onMessage(message)
        read = whole
      })
      response.on('end', () => done(() => resolve(answer())))
      response.on('error', (error) => done(() => reject(error)))
      response.on('aborted', () => done(() => reject(new Error('cut off'))))
    })
    sent.end(body)
  })
}

/** Sends bytes that need not be valid HTTP. Resolves when the server answers or closes the connection. */
export function sendRaw(url: URL, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.end(bytes))
    const timer = setTimeout(() => {
      reject(new NoAnswer(`No answer within ${timeoutMs} ms for ${bytes.slice(0, 300)}`))
      socket.destroy()
    }, timeoutMs)
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve()
    }
    socket.on('data', done).on('close', done).on('error', done)
  })
}

/** The response to a request, among the other messages of a stream. */
export function replyIn({ text }: Answer): Reply | undefined {
  const messages = text.startsWith('{') ? [JSON.parse(text)] : messagesIn(text)
  return messages.find((message) => !('method' in message))
}

const messagesIn = (events: string): Message[] =>
  events.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))

export interface Reply {
  readonly result?: {
    readonly resultType?: string
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly requestedSchema: unknown } }>>
    readonly requestState?: string
    readonly _meta?: { readonly 'assent/outcome'?: { readonly status: string; readonly reason: string } }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

export const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

export const keepAliveAgent = () => new Agent({ keepAlive: true, maxSockets: 32 })
