import {
  type InputRequest,
  inputRequired,
  type McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Shared } from './old-tools.ts'

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const formFor = (message: string): InputRequest =>
  ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] },
    },
  }) as never
const pageAt = (message: string, url: string): InputRequest =>
  ({ method: 'elicitation/create', params: { mode: 'url', message, url } }) as never

const answerTo = ({ mcpReq }: ServerContext, key: string) => {
  const { action, content } = (mcpReq.inputResponses?.[key] ?? {}) as {
    action?: string
    content?: { branch?: string }
  }
  return action === 'accept' ? (content?.branch ?? action) : action
}

/** The plain SDK 2.4 with the same tools: it asks by its results, and keeps what it knows in a state of its own. */
export function addNewTools(mcp: McpServer, { done, runs }: Shared): void {
  mcp.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
    runs.push(text)
    return say(text)
  })
  mcp.registerTool('build', {}, (ctx) => {
    const branch = answerTo(ctx, 'branch')
    if (branch === undefined) return inputRequired({ inputRequests: { branch: formFor('Which branch?') } })
    return say(`built ${branch}`)
  })
  mcp.registerTool('twice', {}, (ctx) => {
    const first = ctx.mcpReq.requestState() as string | undefined
    // The same key in both rounds: a gateway that mixes them up is found out.
    const given = answerTo(ctx, 'branch')
    if (given === undefined) return inputRequired({ inputRequests: { branch: formFor('First?') } })
    if (first !== undefined) return say(`${first} ${given}`)
    return inputRequired({ inputRequests: { branch: formFor('Second?') }, requestState: given })
  })
  mcp.registerTool('both', {}, (ctx) => {
    const [a, b] = [answerTo(ctx, 'a'), answerTo(ctx, 'b')]
    if (a === undefined || b === undefined)
      return inputRequired({ inputRequests: { a: formFor('First?'), b: formFor('Second?') } })
    return say(`${a} ${b}`)
  })
  mcp.registerTool('open', {}, (ctx) => {
    const action = answerTo(ctx, 'page')
    if (action === undefined)
      return inputRequired({ inputRequests: { page: pageAt('Sign in', 'https://example.com/sign-in') } })
    return say(`opened ${action}`)
  })
  mcp.registerTool('visit', {}, (ctx) => {
    if (done.has('page')) return say('visited')
    if (ctx.mcpReq.requestState() === undefined) {
      const inputRequests = { page: pageAt('Pay first', 'https://example.com/pay') }
      return inputRequired({ inputRequests, requestState: 'waiting' })
    }
    if (answerTo(ctx, 'page') === 'accept') setTimeout(() => done.add('page'), 50)
    // Nothing more to ask, and not done: whoever called comes again.
    return inputRequired({ requestState: 'waiting' })
  })
  mcp.registerPrompt('greet', {}, (ctx: ServerContext) => {
    const who = answerTo(ctx, 'who')
    if (who === undefined) return inputRequired({ inputRequests: { who: formFor('Who?') } }) as never
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `hello ${who}` } }] }
  })
  mcp.registerResource('note', 'note://one', {}, ({ href }, ctx) => {
    const which = answerTo(ctx, 'which')
    if (which === undefined) return inputRequired({ inputRequests: { which: formFor('Which note?') } }) as never
    return { contents: [{ uri: href, text: `note on ${which}` }] }
  })
  mcp.registerResource('any', new ResourceTemplate('any://{name}', { list: undefined }), {}, ({ href }) => ({
    contents: [{ uri: href, text: href }],
  }))
}
