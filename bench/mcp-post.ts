import { Agent, request } from 'node:http'

/** A server from which nothing comes for so long answers no more. */
const silenceMs = 120_000

/** The number of concurrent requests. */
export const connections = 16
export const agent = new Agent({ keepAlive: true, maxSockets: connections * 2 })
export const client = { name: 'load', version: '1' }

interface Sent {
  readonly message: object
  /** `/mcp` if left out. */
  readonly path?: string
  readonly headers?: Record<string, string>
  /** Called with each message of a stream. */
  onMessage?(message: Message): void
}

interface AskedUrl {
  readonly url: string
}

export interface Message {
  readonly id?: number
  readonly method?: string
  readonly error?: { readonly code: number; readonly data?: { readonly elicitations?: readonly AskedUrl[] } }
  readonly result?: {
    readonly isError?: boolean
    readonly requestState?: string
    readonly inputRequests?: Record<string, { readonly params: AskedUrl }>
    readonly content?: readonly { readonly text: string }[]
  }
}

/** Sends one MCP message. Rejects unless the response is a result or the error `expects`. */
export function post(
  port: number,
  { message, path = '/mcp', headers = {}, onMessage }: Sent,
  expects?: number,
): Promise<{ last: Message; session: string }> {
  return new Promise((resolve, reject) => {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers }
    const options = { port, host: '127.0.0.1', path, method: 'POST', agent, headers: all, timeout: silenceMs }
    const sent = request(options, (response) => {
      let pending = ''
      let last: Message = {}
      const isStream = response.headers['content-type']?.startsWith('text/event-stream')
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        pending += chunk
        if (!isStream) return
        const lines = pending.split('\n')
        pending = lines.pop() ?? ''
        for (const line of lines) {
          if (!line.startsWith('data: {')) continue
          last = JSON.parse(line.slice('data: '.length))
          onMessage?.(last)
        }
      })
      response.on('error', reject)
      response.on('end', () => {
        if (!isStream && pending !== '') last = JSON.parse(pending)
        const bad = (response.statusCode ?? 500) >= 400 || last.error?.code !== expects || last.result?.isError
        if (bad) return reject(new Error(`${response.statusCode} ${JSON.stringify(last)}`))
        resolve({ last, session: String(response.headers['mcp-session-id']) })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`No answer within ${silenceMs / 1_000} seconds.`)))
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}
