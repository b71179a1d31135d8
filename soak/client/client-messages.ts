/** The `_meta` of every request of a 2026 client. */
export const meta2026 = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

/** That of a client that cannot be asked. */
export const muteMeta2026 = { ...meta2026, 'io.modelcontextprotocol/clientCapabilities': {} }

const run = (id: string) => ({ name: 'run', arguments: { id, ms: 0 } })

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} }, roots: { listChanged: true } },
    clientInfo: { name: 'soak', version: '1' },
  },
}

/** Messages of clients of both eras, before they are mutated. */
export const clientMessages: readonly { readonly isNew: boolean; readonly message: Record<string, unknown> }[] = [
  ...[
    { method: 'tools/list', params: {} },
    { method: 'tools/call', params: run('mutated') },
    { method: 'tools/call', params: { name: 'careful', arguments: { id: 'mutated' } } },
    { method: 'tools/call', params: { name: 'form', arguments: { id: 'mutated' } } },
    { method: 'prompts/get', params: { name: 'none', arguments: { a: 'b' } } },
    { method: 'resources/read', params: { uri: 'file:///none' } },
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    },
    { method: 'server/discover', params: {} },
    {
      method: 'tools/call',
      params: { ...run('mutated'), requestState: 'v1.rubbish', inputResponses: { a: { action: 'accept' } } },
    },
  ].map(({ method, params }) => ({
    isNew: true,
    message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta2026 } },
  })),
  ...[
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: 'abc' } },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: run('mutated') },
    { jsonrpc: '2.0', id: 4, method: 'ping' },
    { jsonrpc: '2.0', id: 5, method: 'logging/setLevel', params: { level: 'debug' } },
    { jsonrpc: '2.0', id: 6, method: 'resources/subscribe', params: { uri: 'file:///none' } },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3, reason: 'soak' } },
    { jsonrpc: '2.0', id: 7, result: { action: 'accept', content: {} } },
    { jsonrpc: '2.0', id: 8, error: { code: -1, message: 'no' } },
  ].map((message) => ({ isNew: false, message })),
]
