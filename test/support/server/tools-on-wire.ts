import { Agent, request } from 'node:http'

/** One request of 2026-07-28, as any program could send it. */
export interface Call {
  readonly method?: 'tools/call' | 'prompts/get' | 'resources/read'
  /** The tool or prompt, or the address of the resource. */
  readonly name?: string
  readonly args?: unknown
  readonly token?: string
  readonly state?: unknown
  readonly responses?: unknown
  readonly capabilities?: object
  readonly progressToken?: string
}

export interface Reply {
  readonly status: number
  /** Every byte that came back. */
  readonly text: string
  readonly error: { readonly code: number; readonly message: string } | undefined
  readonly result: Result
}

interface Result {
  readonly resultType?: string
  readonly requestState?: string
  readonly inputRequests?: Record<string, { params: { url?: string } }>
  readonly content?: { readonly text: string }[]
  readonly _meta?: { readonly 'assent/outcome'?: { readonly status: string } }
}

const version = '2026-07-28'
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** What the person says to every question of these tests. */
export const yesToAll = {
  ticket: { action: 'accept', content: { ticket: 'OPS-1' } },
  sure: { action: 'accept', content: { confirm: true } },
}

export async function send(url: URL, call: Call): Promise<Reply> {
  const { method = 'tools/call', name = 'deploy', args = { env: 'test' }, token = 'alice.desk' } = call
  const named = method === 'resources/read' ? { uri: name } : { name, arguments: args }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': call.capabilities ?? { elicitation: { form: {}, url: {} } },
    ...(call.progressToken !== undefined && { progressToken: call.progressToken }),
  }
  const retry = {
    ...(call.responses !== undefined && { inputResponses: call.responses }),
    ...(call.state !== undefined && { requestState: call.state }),
  }
  const { status, text } = await post(
    url,
    spell({ jsonrpc: '2.0', id: 1, method, params: { ...named, ...retry, _meta } }),
    { 'MCP-Protocol-Version': version, 'Mcp-Method': method, 'Mcp-Name': name, Authorization: `Bearer ${token}` },
  )
  const { error, result } = messageIn(text)
  return { status, text, error, result: result ?? {} }
}

/** JSON in which `{raw}` stands for text as it is: what is nested too deep cannot be built from values. */
function spell(message: object): string {
  const raws: string[] = []
  const text = JSON.stringify(message, (_, value) => {
    if (typeof value?.raw !== 'string') return value
    return `raw ${raws.push(value.raw) - 1} wanted`
  })
  return text.replace(/"raw (\d+) wanted"/g, (_, index: string) => raws[Number(index)] ?? '')
}

function post(
  url: URL,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers }
    const sent = request(url, { method: 'POST', agent, headers: all }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          headers: response.headers,
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The answer in a body, which is JSON or a stream whose last message is the answer. */
function messageIn(text: string): { error?: Reply['error']; result?: Result } {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'))
  return JSON.parse(lines.at(-1)?.slice('data: '.length) ?? text)
}

/** The sealed state that a reply asks to be sent back. */
export function stateIn({ result, text }: Reply): string {
  if (result.requestState === undefined) throw new Error(`no state in ${text}`)
  return result.requestState
}

/** What a tool said. */
export function said({ result, text }: Reply): string {
  return result.content?.map((part) => part.text).join('\n') ?? text
}

export function outcomeOf({ result }: Reply): string | undefined {
  return result._meta?.['assent/outcome']?.status
}
