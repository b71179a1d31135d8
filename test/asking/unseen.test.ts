import { describe, expect, test } from 'vitest'
import type { Assent } from '../../src/index.ts'
import { audited } from '../support/approval/approving.ts'
import { connect11, connect26, type Reply } from '../support/asking/asking-clients.ts'
import { handClock } from '../support/client/hand-clock.ts'
import { gated, newServer } from '../support/gateway/gateways.ts'
import { allowOnce, answerOnPage, choicesIn } from '../support/server/approving.ts'
import { localPage, say } from '../support/server/servers.ts'

const copilot = { name: 'copilot-cli', version: '1.0.102' }
const person = { name: 'somebody-else', version: '1' }
/** A gateway whose client shows its questions to nobody. */
async function meet(how: typeof connect11, info: typeof copilot, rule: object = {}, more: object = {}) {
  const ran: string[] = []
  const clock = handClock()
  const url = await newServer(
    (server) =>
      void server.registerTool('deploy', {}, () => {
        ran.push('deploy')
        return say('deployed')
      }),
  )
  const { assent, connect } = await gated(
    { up: { url } },
    {
      clocks: { hold: 50 },
      assentOptions: {
        clock,
        policy: { default: 'ask', fallback: 'inbox', rules: [{ tool: '*', decide: 'ask', ...rule }] } as never,
      },
      ...more,
    },
  )
  const client = await connect(how, { only: 'up', info })
  const slow = (reply: Reply): Reply => {
    clock.advance(1_100)
    return reply
  }
  return { assent, client, ran, slow }
}

async function theQuestion(assent: Assent) {
  const open = await assent.store.elicitations.listAllOpen(10)
  expect(open).toHaveLength(1)
  return open[0] as (typeof open)[number]
}

describe.each([
  ['2025', connect11],
  ['2026', connect26],
] as const)('a client of %s that answers for the person', (_, how) => {
  test.each<Reply['action']>(['accept', 'decline', 'cancel'])(
    'with %s: it counts for nothing, the call waits with a link, and a yes given later runs it once',
    async (action) => {
      const { assent, client, ran } = await meet(how, copilot)
      client.answers((asked) => (action === 'accept' ? allowOnce(asked) : { action }))
      const first = await client.call('deploy')
      expect(first.outcome).toEqual({ status: 'pending', reason: 'waiting-for-approval' })
      expect(first.text).toContain('/approve')
      expect(ran).toEqual([])
      expect(await audited(assent, 'answered-unseen')).toMatchObject([{ data: { action } }])

      await answerOnPage(assent, await theQuestion(assent), localPage)
      expect((await client.call('deploy')).text).toContain('deployed')
      expect(ran).toEqual(['deploy'])
    },
  )

  test('is taken at its word if it took as long as a person does', async () => {
    const { client, ran, slow } = await meet(how, copilot)
    client.answers((asked) => slow(allowOnce(asked)))
    expect((await client.call('deploy')).text).toContain('deployed')
    expect(ran).toEqual(['deploy'])
    client.answers(() => slow({ action: 'decline' }))
    expect((await client.call('deploy')).outcome).toMatchObject({ status: 'denied', reason: 'declined' })
  })

  test('under the name of a client without quirks is taken at its word, unless the setting for all says otherwise', async () => {
    const trusting = await meet(how, person)
    trusting.client.answers(allowOnce)
    await trusting.client.call('deploy')
    expect(trusting.ran).toEqual(['deploy'])

    const careful = await meet(how, person, {}, { unseenWithin: '1s' })
    careful.client.answers(allowOnce)
    expect((await careful.client.call('deploy')).outcome).toMatchObject({ status: 'pending' })
    expect(careful.ran).toEqual([])
  })

  test('cannot settle what needs a page: after its no the question still waits', async () => {
    const { assent, client, ran } = await meet(how, person, { answer: 'page' })
    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('deploy')).outcome).toMatchObject({ status: 'pending' })
    expect(client.asked).toHaveLength(1)
    await answerOnPage(assent, await theQuestion(assent), localPage)
    expect((await client.call('deploy')).text).toContain('deployed')
    expect(ran).toEqual(['deploy'])
  })

  test('is not asked at all by a rule with `answer: inbox`', async () => {
    const { assent, client, ran } = await meet(how, person, { answer: 'inbox', fallback: 'deny' })
    client.answers(allowOnce)
    expect((await client.call('deploy')).outcome).toMatchObject({ status: 'pending' })
    expect(client.asked).toEqual([])
    await answerOnPage(assent, await theQuestion(assent), localPage)
    await client.call('deploy')
    expect(ran).toEqual(['deploy'])
  })

  test('that shows three lines is sent to the page with more', async () => {
    const { client, slow } = await meet(how, { name: 'claude-code', version: '2.1.325' })
    client.answers(() => slow({ action: 'decline' }))
    await client.call('deploy', { a: 1, b: 2, c: 3, d: 4 })
    expect(client.asked.map(({ mode }) => mode)).toEqual(['url'])
    expect(client.asked.flatMap((asked) => ('requestedSchema' in asked ? choicesIn(asked) : []))).toEqual([])
  })
})

test('a 2025 session that answered unseen once is not asked for approvals again', async () => {
  const { client } = await meet(connect11, copilot)
  client.answers(() => ({ action: 'cancel' }))
  await client.call('deploy', { a: 1 })
  expect(client.asked).toHaveLength(1)
  await client.call('deploy', { a: 2 })
  expect(client.asked).toHaveLength(1)
})

test('only a client that cannot do without gets an `elicitationId` on 2026-07-28', async () => {
  for (const [info, expected] of [
    [copilot, true],
    [person, false],
  ] as const) {
    const { client, slow } = await meet(connect26, info, { answer: 'page' })
    client.answers(() => slow({ action: 'decline' }))
    await client.call('deploy')
    // The SDK of this client hides the key from its handler.
    expect(client.received().includes('"elicitationId"')).toBe(expected)
  }
})
