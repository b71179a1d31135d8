import { setTimeout } from 'node:timers/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import { say } from './say.ts'

/** Tools that tell of their work while they do it. */
export function addNews(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is' }, async ({ mcpReq }) => {
    // Without a token nobody wants to know.
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      }
      await setTimeout(50)
    }
    return say('Done, all 100 of it')
  })

  // A 2025 client chose its level for the session, a 2026 client with this request; unasked, nothing is sent.
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Writes a log' }, async ({ mcpReq }) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', line)
        await setTimeout(50)
      }
      return say('Logged three lines')
    })
  }

  // A 2025 client whose stream breaks comes back and gets what it missed. On 2026 it would call again instead.
  server.registerTool('test_reconnection', { description: 'Closes its stream half-way' }, async ({ http }) => {
    http?.closeSSE?.()
    await setTimeout(100)
    return say('You came back')
  })
}
