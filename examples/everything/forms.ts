import type { McpServer } from '@modelcontextprotocol/server'
import { AskRefused, type AssentServer } from 'assent/server'
import { z } from 'zod'
import { say } from './say.ts'

/**
 * Tools that ask by a form. Each reads from top to bottom, as if the person sat next to it; whether the client is of
 * 2025 (and is asked while the call waits) or of 2026 (and sends the call again with the answer) is not to be seen.
 */
export function addForms(server: McpServer, { tool, plainTool }: AssentServer): void {
  server.registerTool(
    'test_elicitation',
    { description: 'Asks for a name and an address', inputSchema: z.object({ message: z.string() }) },
    tool(async ({ message }, ask) => {
      const who = await ask.form(message, contact)
      return say(`User response: ${who.username} <${who.email}>`)
    }),
  )

  // `key` names a question where its place would do: a client that knows it may answer before it is asked.
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name' },
    plainTool(async (ask) => {
      const { name } = await ask.form('What is your name?', aName, { key: 'user_name' })
      return say(`Hello, ${name}!`)
    }),
  )

  // A person may say no, and a tool may have something to offer then. Left alone, a no ends the call.
  server.registerTool(
    'ask_or_guess',
    { description: 'Asks for a name, and goes on without one' },
    plainTool(async (ask) => {
      try {
        const { name } = await ask.form('What is your name?', aName)
        return say(`Hello, ${name}!`)
      } catch (error) {
        if (error instanceof AskRefused) return say(`Hello, whoever you are! (${error.status})`)
        throw error
      }
    }),
  )

  // What is above a question may run again when its answer comes. `once` does not: the booking is made one time.
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks for a name, then for a colour, and orders a jersey' },
    plainTool(async (ask) => {
      const { name } = await ask.form('Step 1: What is your name?', aName, { key: 'step1' })
      const { color } = await ask.form(`Step 2: What is your favorite color, ${name}?`, aColor, { key: 'step2' })
      const order = await ask.once('order', () => orders.push(`${color} jersey for ${name}`))
      return say(`Order ${order}: a ${color} jersey for ${name}`)
    }),
  )

  // Questions that do not need each other's answers are asked together.
  server.registerTool(
    'ask_together',
    { description: 'Asks for a name and a colour at once' },
    plainTool(async (ask) => {
      const [{ name }, { color }] = await Promise.all([
        ask.form('What is your name?', aName, { key: 'name' }),
        ask.form('What is your favorite color?', aColor, { key: 'color' }),
      ])
      return say(`${name} likes ${color}`)
    }),
  )

  // A yes is for this call with these arguments, and counts once, however often the same answer is sent.
  server.registerTool(
    'ask_confirm',
    { description: 'Deletes a file, if the person says yes', inputSchema: z.object({ file: z.string() }) },
    tool(async ({ file }, ask) => {
      await ask.confirm(`Delete ${file}?`, { warning: 'It cannot be brought back.', confirmLabel: 'Delete it' })
      return say(`Deleted ${file}`)
    }),
  )

  addStateTools(server, plainTool)
  addSchemaTools(server, plainTool)
}

const contact = z.object({
  username: z.string().describe("User's response"),
  email: z.email().describe("User's email address"),
})
const aName = z.object({ name: z.string() })
const aColor = z.object({ color: z.string() })

/** What the tools above ordered, in this process. */
const orders: string[] = []

/** What a 2026 client carries from one round to the next is sealed: it opens only for whom and what it was made for. */
function addStateTools(server: McpServer, plainTool: AssentServer['plainTool']): void {
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    server.registerTool(
      name,
      { description: 'Asks for a tick, and gives the client a state to send back' },
      plainTool(async (ask) => {
        const { ok } = await ask.form('Please confirm', z.object({ ok: z.boolean() }), { key: 'confirm' })
        return say(`state-ok: ${ok}`)
      }),
    )
  }

  // The question ends the stream of its call: no request of the server's own ever travels on one.
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Tells of its progress, and asks' },
    plainTool(async (ask, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      }
      const { name } = await ask.form('What is your name?', aName)
      return say(`Hello, ${name}!`)
    }),
  )
}

/** Everything that a form can hold. JSON Schema is taken as it is, for what zod cannot say. */
function addSchemaTools(server: McpServer, plainTool: AssentServer['plainTool']): void {
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with a default in every field' },
    plainTool(async (ask) => {
      const content = await ask.form('Are these right?', {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      })
      return say(`Elicitation completed: action=accept, content=${JSON.stringify(content)}`)
    }),
  )

  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks to choose, in each of the five ways there are' },
    plainTool(async (ask) => {
      const content = await ask.form('Choose', {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled('Option') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        },
      })
      return say(`Elicitation completed: action=accept, content=${JSON.stringify(content)}`)
    }),
  )
}

function titled(noun: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((ordinal, index) => ({
    const: `value${index + 1}`,
    title: `${ordinal} ${noun}`,
  }))
}
