import { appendFile } from 'node:fs/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { AssentServer } from '../../../src/server/index.ts'

/** A form with every kind of field there is: texts with formats, numbers, a tick, the five enum shapes, defaults. */
export const everyField = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 20, default: 'Ada' },
    email: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    moment: { type: 'string', format: 'date-time' },
    ratio: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    loud: { type: 'boolean', default: true },
    size: { type: 'string', enum: ['s', 'm', 'l'], default: 'm' },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    shape: {
      type: 'string',
      oneOf: [
        { const: 'o', title: 'Circle' },
        { const: 'x', title: 'Cross' },
      ],
    },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue', 'wed'] }, minItems: 1, maxItems: 2 },
    meals: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'b', title: 'Breakfast' },
          { const: 'd', title: 'Dinner' },
        ],
      },
      default: ['b'],
    },
  },
  required: ['name', 'email', 'count', 'days'],
}

const branchForm = {
  type: 'object',
  properties: { branch: { type: 'string', title: 'Branch', maxLength: 8 } },
  required: ['branch'],
}

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** Keeps what was really done, one line each, where every process can read it. */
export type Do = (what: string) => Promise<string>

export const doIn =
  (file: string): Do =>
  async (what) => {
    await appendFile(file, `${what}\n`)
    return `did ${what}`
  }

/** The server that the table of clients is driven against; the same over HTTP and stdio, on every revision. */
export function exampleServer(asking: AssentServer, act: Do): McpServer {
  const server = asking.server({ name: 'example', version: '1.0.0' })
  const text = z.object({ text: z.string() })

  server.registerTool('echo', { inputSchema: text }, async ({ text }) => say(text))
  server.registerTool(
    'every-field',
    {},
    asking.plainTool(async (ask) => say(JSON.stringify(await ask.form('Tell us everything', everyField)))),
  )
  server.registerTool(
    'branch',
    {},
    asking.plainTool(async (ask) => say(`on ${(await ask.form('Which branch?', branchForm)).branch}`)),
  )
  server.registerTool(
    'ticket',
    {},
    asking.plainTool(async (ask) => {
      const form = z.object({ ticket: z.string().regex(/^T-\d+$/), urgent: z.boolean().default(false) })
      const { ticket, urgent } = await ask.form('Which ticket?', form)
      return say(`${ticket} ${urgent}`)
    }),
  )
  server.registerTool(
    'sign',
    { inputSchema: text },
    asking.tool(async ({ text }: { text: string }, ask) => {
      const { action } = await ask.url('Please sign', `https://sign.example.com/${text}`)
      return say(`signed ${action}`)
    }),
  )
  server.registerTool(
    'charge',
    { inputSchema: text },
    asking.tool(async ({ text }: { text: string }, ask) => {
      const key = await ask.secret('Your payment service', { type: `api-key-${text}`, fieldLabel: 'Key' })
      return say(`charged with ${key.length} letters`)
    }),
  )
  server.registerTool(
    'delete',
    { inputSchema: text },
    asking.tool(async ({ text }: { text: string }, ask) => {
      await ask.confirm(`Delete ${text}?`, { warning: 'This cannot be undone.' })
      return say(await ask.once('delete', () => act(`delete ${text}`)))
    }),
  )
  server.registerTool(
    'in-turn',
    {},
    asking.plainTool(async (ask) => {
      const { a } = await ask.form('First?', z.object({ a: z.string() }))
      const { b } = await ask.form(`After ${a}?`, z.object({ b: z.string() }))
      return say(`${a} then ${b}`)
    }),
  )
  server.registerTool(
    'together',
    {},
    asking.plainTool(async (ask) => {
      const [{ a }, { b }] = await Promise.all([
        ask.form('One?', z.object({ a: z.string() }), { key: 'one' }),
        ask.form('Two?', z.object({ b: z.string() }), { key: 'two' }),
      ])
      return say(`${a} and ${b}`)
    }),
  )
  server.registerTool(
    'deploy',
    { inputSchema: text },
    asking.tool(async ({ text }: { text: string }, ask) => {
      const { ticket } = await ask.form('Which change?', z.object({ ticket: z.string() }))
      const done = await ask.once('deploy', () => act(`deploy ${text} ${ticket}`))
      const { note } = await ask.form('A note?', z.object({ note: z.string() }))
      return say(`${done}, ${note}`)
    }),
  )
  server.registerTool(
    'measure',
    { outputSchema: z.object({ metres: z.number() }) },
    asking.plainTool(async (ask) => {
      const structuredContent = await ask.form('How long?', z.object({ metres: z.number() }))
      return { content: [], structuredContent }
    }),
  )
  server.registerPrompt(
    'plan',
    { argsSchema: z.object({ topic: z.string() }) },
    asking.prompt(async ({ topic }: { topic: string }, ask) => {
      const { tone } = await ask.form('Which tone?', z.object({ tone: z.string() }))
      return { messages: [{ role: 'user', content: { type: 'text', text: `${topic}, ${tone}` } }] }
    }),
  )
  server.registerResource(
    'note',
    'note://today',
    {},
    asking.resource(async (uri, ask, _ctx) => {
      const { page } = await ask.form('Which page?', z.object({ page: z.number() }))
      return { contents: [{ uri: uri.href, text: `page ${page}` }] }
    }),
  )
  return server
}
