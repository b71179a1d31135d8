import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AssentOptions, type Elicitation, fromModuleOptions } from '../../src/index.ts'
import { type AssentServerOptions, explicitAsking } from '../../src/server/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { asking, localPage, nextAsked, promised, say } from '../support/server/servers.ts'

const minute = 60_000
const byModuleOptions = fromModuleOptions({ serverUrl: 'http://127.0.0.1:4180', elicitationTtlMs: 4 * minute })

/** Calls a tool that asks, and tells for how many minutes its question is open. */
async function minutesOpen(
  tool: string,
  assentOptions: AssentOptions,
  clocks?: AssentServerOptions['clocks'],
): Promise<number> {
  const { assent, connect } = await asking(
    (server, { plainTool, approvedTool }) => {
      server.registerTool(
        'form',
        {},
        plainTool(async (ask) => say(JSON.stringify(await ask.form('Which?', z.object({ a: z.string() }))))),
      )
      server.registerTool(
        'page',
        {},
        plainTool(async (ask) => say(JSON.stringify(await ask.url('Look', 'https://example.com/x')))),
      )
      server.registerTool(
        'created',
        {},
        plainTool(async (ask, ctx) => {
          await explicitAsking(ctx, ask).createUrl({ message: 'Confirm', path: 'confirm' })
          return say('created')
        }),
      )
      server.registerTool(
        'approved',
        {},
        approvedTool(async () => say('ran')),
      )
    },
    {
      assentOptions: {
        clock: fixedClock(),
        policy: { rules: [{ tool: 'approved', decide: 'ask' }] },
        ...assentOptions,
      },
      ...(clocks && { clocks }),
    },
  )
  const asked = nextAsked(assent)
  const client = await connect(connect11)
  // Only the record matters here, so the client leaves the question open until the record was read.
  const { promise: over, keep: end } = promised()
  client.answers(async () => {
    await over
    return { action: 'cancel' }
  })
  const calling = client.call(tool).catch((error) => error)
  const { id } = await asked
  const { createdAt, expiresAt } = (await assent.get(id)) as Elicitation
  await assent.answer(id, localPage, { action: 'cancel' })
  end()
  await calling
  return (expiresAt.getTime() - createdAt.getTime()) / minute
}

describe.each(['form', 'page', 'created', 'approved'])('the question of a tool that asks by %s', (tool) => {
  test('is open as long as clocks.question of Assent says', async () => {
    expect(await minutesOpen(tool, { clocks: { question: '3m', tidy: 0 } })).toBe(3)
  })

  test('or as long as elicitationTtlMs of Assent says', async () => {
    expect(await minutesOpen(tool, byModuleOptions)).toBe(4)
  })

  test('and 10 minutes where nobody says anything', async () => {
    expect(await minutesOpen(tool, {})).toBe(10)
  })
})

// How long an approval is open is a matter of its rule, or else of Assent.
test.each([
  ['form', 2],
  ['page', 2],
  ['created', 2],
  ['approved', 4],
])("the server's own clocks.question counts for a question by %s: %d minutes", async (tool, minutes) => {
  expect(await minutesOpen(tool, byModuleOptions, { question: '2m' })).toBe(minutes)
})
