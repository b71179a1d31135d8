import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitResultSchema, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

const say = (text) => ({ content: [{ type: 'text', text }] })
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** A server of SDK 1.32 whose tools do everything that a 2025 upstream may do during a call. */
export function oldTools() {
  const server = new McpServer({ name: 'old', version: '1.0.0' }, { capabilities: { logging: {} } })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => say(text))
  server.registerTool('environment', {}, async () => say(JSON.stringify(process.env)))
  server.registerTool('pid', {}, async () => say(String(process.pid)))
  server.registerTool('ask', { inputSchema: { who: z.string() } }, async ({ who }, { sendRequest }) => {
    const params = { mode: 'form', message: `Who is ${who}?`, requestedSchema: form }
    const answer = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema)
    return say(`${who}: ${answer.action} ${answer.content?.name}`)
  })
  // Asks outside of the call's context, so that nothing ties the question to the call.
  server.registerTool('ask-aside', { inputSchema: { who: z.string() } }, async ({ who }) => {
    try {
      const answer = await server.server.elicitInput({ message: `Who is ${who}?`, requestedSchema: form })
      return say(`${who}: ${answer.action} ${answer.content?.name}`)
    } catch (error) {
      return say(`${who}: ${error.code} ${error.data?.reason}`)
    }
  })
  server.registerTool('visit', {}, async () => {
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Go there', url: 'https://example.com/x', elicitationId: 'e1' },
    ])
  })
  server.registerTool('count', {}, async ({ _meta, sendNotification }) => {
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: _meta?.progressToken ?? 'none', progress }
      await sendNotification({ method: 'notifications/progress', params })
    }
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'counted' } })
    await sendNotification({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } })
    return say('three')
  })
  server.registerTool('change', {}, async () => {
    server.sendToolListChanged()
    return say('changed')
  })
  server.registerTool('wait', {}, async ({ signal }) => {
    waits.begun += 1
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    waits.cancelled += 1
    return say('never heard')
  })
  server.registerTool('cancelled', {}, async () => say(String(waits.cancelled)))
  return server
}

/** How many calls of the tool `wait` have begun in this process, and how many were cancelled. */
export const waits = { begun: 0, cancelled: 0 }
