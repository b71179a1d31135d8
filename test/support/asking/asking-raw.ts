/** What a 2026 client may send with a request. */
export interface RawCall {
  readonly method?: string
  /** In the place of a name and arguments. */
  readonly params?: Record<string, unknown>
  readonly name: string
  readonly arguments?: Record<string, unknown>
  readonly inputResponses?: Record<string, unknown>
  readonly requestState?: string | undefined
  readonly elicitation?: Record<string, unknown> | undefined
  readonly clientInfo?: { name: string; version: string }
  readonly token?: string
  readonly signal?: AbortSignal
}

export interface RawReply {
  readonly result?: {
    readonly resultType: string
    readonly isError?: boolean
    readonly content?: { text: string }[]
    readonly inputRequests?: Record<string, { method: string; params: Record<string, unknown> }>
    readonly requestState?: string
    readonly _meta?: Record<string, { status: string; reason: string }>
  }
  readonly error?: { code: number; message: string; data?: unknown }
}

/** One request of 2026-07-28, as it goes over the wire, with nothing done by an SDK. */
export async function rawCall(url: URL, call: RawCall): Promise<RawReply> {
  const { method = 'tools/call', name, token, signal, inputResponses, requestState } = call
  const version = '2026-07-28'
  const elicitation = 'elicitation' in call ? call.elicitation : { form: {}, url: {} }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': call.clientInfo ?? { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': elicitation === undefined ? {} : { elicitation },
  }
  const params = {
    ...(call.params ?? { name, arguments: call.arguments ?? {} }),
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
    _meta,
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
      'Mcp-Name': name,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  })
  return replyIn(await response.text())
}

/** The answer to a request, among whatever else a stream brought. */
function replyIn(text: string): RawReply {
  const messages = text.startsWith('{')
    ? [text]
    : text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => line.slice(6))
  return messages.map((message) => JSON.parse(message)).find((message) => !('method' in message))
}
