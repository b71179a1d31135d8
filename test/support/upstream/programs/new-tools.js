import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const say = (text) => ({ content: [{ type: 'text', text }] })
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** How many calls of the tool `wait` have begun in this process, and how many were cancelled. */
export const waits = { begun: 0, cancelled: 0 }

/** A server of SDK 2.4 for 2026-07-28. */
export function newTools() {
  const server = new McpServer({ name: 'new', version: '2.0.0' }, { instructions: 'Be kind.' })
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => say(text))
  server.registerTool('pid', {}, async () => say(String(process.pid)))
  server.registerTool('envelope', {}, async (ctx) => say(JSON.stringify(ctx.mcpReq.envelope)))
  server.registerTool('ask', {}, async (ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'who')
    if (answer !== undefined) return say(`hello ${answer.name}`)
    const who = inputRequired.elicit({ message: 'Who?', requestedSchema: form })
    return inputRequired({ inputRequests: { who }, requestState: 'opaque' })
  })
  server.registerTool('count', {}, async (ctx) => {
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: ctx.mcpReq._meta?.progressToken ?? 'none', progress }
      await ctx.mcpReq.notify({ method: 'notifications/progress', params })
    }
    return say('three')
  })
  server.registerTool('change', {}, async () => {
    server.sendToolListChanged()
    return say('changed')
  })
  server.registerTool('wait', {}, async (ctx) => {
    waits.begun += 1
    const { signal } = ctx.mcpReq
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    waits.cancelled += 1
    return say('never heard')
  })
  server.registerTool('cancelled', {}, async () => say(String(waits.cancelled)))
  return server
}
