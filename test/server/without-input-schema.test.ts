import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AskedClient, everyClient } from '../support/asking/asking-clients.ts'
import { allowOnce, deny } from '../support/server/approving.ts'
import { asking, say } from '../support/server/servers.ts'

const branch = z.object({ branch: z.string() })

/** A server whose tools and prompts take no arguments, and what they were given. */
async function withoutSchemas() {
  const given: unknown[] = []
  const served = await asking(
    (server, { tool, approvedTool, prompt }) => {
      server.registerTool(
        'plain',
        {},
        tool(async (args) => {
          given.push(args)
          return say('plain')
        }),
      )
      server.registerTool(
        'asks',
        {},
        tool(async (args, ask) => {
          const answer = await ask.form('Which?', branch)
          given.push(args)
          return say(answer.branch)
        }),
      )
      server.registerTool(
        'approved',
        {},
        approvedTool(async (args) => {
          given.push(args)
          return say('approved')
        }),
      )
      server.registerTool(
        'approved_asks',
        {},
        approvedTool(async (args, ask) => {
          const answer = await ask.form('Which?', branch)
          given.push(args)
          return say(answer.branch)
        }),
      )
      const messages = (text: string) => ({
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
      })
      server.registerPrompt(
        'greet',
        {},
        prompt(async (args) => {
          given.push(args)
          return messages('hello')
        }),
      )
      server.registerPrompt(
        'greet_asks',
        {},
        prompt(async (args, ask) => {
          const answer = await ask.form('Which?', branch)
          given.push(args)
          return messages(answer.branch)
        }),
      )
    },
    { assentOptions: { policy: { default: 'allow', rules: [{ tool: 'approved*', decide: 'ask' }] } } },
  )
  return { ...served, given }
}

/** Approvals are forms with a choice. */
const saysYes: Parameters<AskedClient['answers']>[0] = (asked) =>
  asked.requestedSchema?.properties.choice === undefined
    ? { action: 'accept', content: { branch: 'main' } }
    : allowOnce(asked)

describe.each(everyClient)('without an input schema, for $name', ({ connect: how }) => {
  test.each([
    ['plain', 'plain', 0],
    ['asks', 'main', 1],
    ['approved', 'approved', 1],
    ['approved_asks', 'main', 2],
  ])('the tool %s runs with no arguments', async (name, text, questions) => {
    const { connect, given } = await withoutSchemas()
    const client = await connect(how)
    client.answers(saysYes)
    expect(await client.call(name)).toMatchObject({ isError: false, text })
    expect(given).toEqual([{}])
    expect(client.asked).toHaveLength(questions)
  })

  test('an approved tool that is denied does not run', async () => {
    const { connect, given } = await withoutSchemas()
    const client = await connect(how)
    client.answers(deny)
    expect(await client.call('approved')).toMatchObject({ isError: true, outcome: { status: 'denied' } })
    expect(given).toEqual([])
  })

  test('a prompt runs with no arguments, and may ask', async () => {
    const { connect, given } = await withoutSchemas()
    const client = await connect(how)
    client.answers(saysYes)
    expect(await client.prompt('greet')).toBe('hello')
    expect(await client.prompt('greet_asks')).toBe('main')
    expect(given).toEqual([{}, {}])
  })
})
