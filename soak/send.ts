import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'

/** How long anybody may be left without an answer. */
export const boundMs = 15_000

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A client heard nothing for too long. */
export class Silence extends Error {}

/** What is sent, and who hears each message of a stream as it comes. */
export interface Sending {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
  /** In the place of the url's own: it need not be one. */
  readonly path?: string
  heard?(message: Message): void
}

/** A message of JSON-RPC, whatever it is. */
export type Message = Readonly<Record<string, unknown>>

/** One HTTP request over kept connections. Rejects with `Silence`, or with what broke the connection. */
export function send(
  agent: Agent,
  url: URL,
  { method = 'POST', headers = {}, body = '', path = `${url.pathname}${url.search}`, heard }: Sending,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': Buffer.byteLength(body) }
    const sent = request(url, { agent, method, path, headers: { ...headers, ...length } })
    let text = ''
    let told = 0
    const impatient = setTimeout(() => {
      const what = `${method} ${path} ${body.slice(0, 300)}`
      reject(new Silence(`No end within ${boundMs} ms for ${what}, but ${text.slice(-1_000) || 'nothing'}`))
      sent.destroy()
    }, boundMs)
    const done = (settle: () => void) => {
      clearTimeout(impatient)
      settle()
    }
    sent.on('error', (error) => done(() => reject(error)))
    sent.on('response', (response) => {
      const answer = () => ({ status: response.statusCode ?? 0, headers: response.headers, text })
      // A stream without a request stays open for as long as both sides live.
      if (method === 'GET' && response.statusCode === 200) {
        done(() => resolve(answer()))
        return void response.destroy()
      }
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        if (heard === undefined) return
        const whole = text.lastIndexOf('\n') + 1
        for (const message of messagesIn(text.slice(told, whole))) heard(message)
        told = whole
      })
      response.on('end', () => done(() => resolve(answer())))
      response.on('error', (error) => done(() => reject(error)))
      response.on('aborted', () => done(() => reject(new Error('cut off'))))
    })
    sent.end(body)
  })
}

/** Bytes that need not be HTTP. Resolves when the other side answers or hangs up. */
export function sendRaw(url: URL, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.end(bytes))
    const impatient = setTimeout(() => {
      reject(new Silence(`Nothing came back within ${boundMs} ms for ${bytes.slice(0, 300)}`))
      socket.destroy()
    }, boundMs)
    const done = () => {
      clearTimeout(impatient)
      socket.destroy()
      resolve()
    }
    socket.on('data', done).on('close', done).on('error', done)
  })
}

/** The answer to a request, among whatever else a stream brought. */
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

export const keptConnections = () => new Agent({ keepAlive: true, maxSockets: 32 })
