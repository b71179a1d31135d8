import { client, connections, type Message, post } from './mcp-post.ts'

/** What to send, how often, and to which server. */
export interface Load {
  readonly port: number
  readonly revision: '2025-11-25' | '2026-07-28'
  readonly tool: string
  readonly calls: number
}

const answer = { action: 'accept', content: { branch: 'main' } }

/** Sends one call after the other on one connection, as a client of this revision. */
async function callInTurn({ port, revision, tool }: Load, calls: number): Promise<void> {
  const params = { name: tool, arguments: { text: 'hello' } }
  if (revision === '2026-07-28') {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }
    const call = (id: number, retry: object = {}) =>
      post(port, { headers, message: { id, method: 'tools/call', params: { ...params, ...retry, _meta } } })
    for (let n = 0; n < calls; n++) {
      const { last } = await call(n)
      if (tool !== 'form') continue
      const { requestState, inputRequests = {} } = last.result ?? {}
      const [key = ''] = Object.keys(inputRequests)
      await call(n, { requestState, inputResponses: { [key]: answer } })
    }
    return
  }

  const initialize = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: client }
  const { session } = await post(port, { message: { id: 0, method: 'initialize', params: initialize } })
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision }
  await post(port, { headers, message: { method: 'notifications/initialized' } })
  for (let n = 1; n <= calls; n++) {
    const answering: Promise<unknown>[] = []
    const onMessage = ({ id, method }: Message) => {
      if (method === 'elicitation/create') answering.push(post(port, { headers, message: { id, result: answer } }))
    }
    await post(port, { headers, message: { id: n, method: 'tools/call', params }, onMessage })
    await Promise.all(answering)
  }
}

process.on('message', async (load: Load) => {
  const calls = Math.ceil(load.calls / connections)
  await Promise.all(Array.from({ length: connections }, () => callInTurn(load, calls)))
  process.send?.(calls * connections)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
