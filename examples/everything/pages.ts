import type { McpServer } from '@modelcontextprotocol/server'
import type { AssentServer } from 'assent/server'
import { z } from 'zod'
import { say } from './say.ts'

/**
 * Tools that send the person to a page. What they do or type there never passes through the client, so this is how to
 * ask for what no client, no model and no log may see.
 */
export function addPages(server: McpServer, { tool, plainTool }: AssentServer): void {
  // A page of one's own, which settles the question by `assent.answer` once the person is done.
  server.registerTool(
    'ask_page',
    { description: 'Sends the person to a page', inputSchema: z.object({ url: z.url() }) },
    tool(async ({ url }, ask) => {
      const { completedAt } = await ask.url('Please read the terms.', url)
      return say(`Read at ${completedAt.toISOString()}`)
    }),
  )

  // With a `type` a key is asked for once, and found again in later calls.
  server.registerTool(
    'ask_secret',
    { description: 'Asks for the API key of a weather service' },
    plainTool(async (ask) => {
      const key = await ask.secret('Enter your key for Example Weather.', { type: 'api-key-weather' })
      return say(`Got a key of ${key.length} characters`)
    }),
  )

  // For what matters: a form in the client could be answered by the client itself.
  server.registerTool(
    'ask_confirm_on_page',
    { description: 'Pays, if the person says yes on a page' },
    plainTool(async (ask) => {
      await ask.confirm('Pay 20 euros to Example Shop?', { answer: 'page' })
      return say('Paid')
    }),
  )
}
