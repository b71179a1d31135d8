import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod/v3'
import { patient } from '../asking/asking-clients.ts'

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const branchForm = {
  type: 'object' as const,
  properties: { branch: { type: 'string' as const } },
  required: ['branch'],
}

/** What the tools of one upstream share, whatever session or process calls them. */
export interface Shared {
  /** Pages that the person is done with. */
  readonly done: Set<string>
  /** Each run of a tool that counts. */
  readonly runs: string[]
}

/** A server of SDK 1.32 with every way to ask. */
export function addOldTools(mcp: McpServer, { done, runs }: Shared): void {
  const { server } = mcp
  const ask = async (message: string) => {
    const { action, content } = await server.elicitInput({ message, requestedSchema: branchForm }, patient)
    return action === 'accept' ? String(content?.branch) : action
  }
  mcp.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => {
    runs.push(text)
    return say(text)
  })
  mcp.registerTool('build', {}, async () => say(`built ${await ask('Which branch?')}`))
  mcp.registerTool('twice', {}, async () => say(`${await ask('First?')} ${await ask('Second?')}`))
  mcp.registerTool('both', {}, async () => say((await Promise.all([ask('First?'), ask('Second?')])).join(' ')))
  mcp.registerTool('open', {}, async () => {
    const elicitationId = 'page-of-open'
    const page = { mode: 'url' as const, message: 'Sign in', url: 'https://example.com/sign-in', elicitationId }
    const { action } = await server.elicitInput(page, patient)
    await server.createElicitationCompletionNotifier(elicitationId)()
    return say(`opened ${action}`)
  })
  mcp.registerTool('visit', {}, async () => {
    const elicitationId = 'page-of-visit'
    if (done.has(elicitationId)) return say('visited')
    setTimeout(() => {
      done.add(elicitationId)
      // The client may be gone by then.
      server
        .createElicitationCompletionNotifier(elicitationId)()
        .catch(() => {})
    }, 50)
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Pay first', url: 'https://example.com/pay', elicitationId },
    ])
  })
  mcp.registerPrompt('greet', {}, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: `hello ${await ask('Who?')}` } }],
  }))
  mcp.registerResource('note', 'note://one', {}, async ({ href }) => ({
    contents: [{ uri: href, text: `note on ${await ask('Which note?')}` }],
  }))
  mcp.registerResource('any', new ResourceTemplate('any://{name}', { list: undefined }), {}, async ({ href }) => ({
    contents: [{ uri: href, text: href }],
  }))
}
