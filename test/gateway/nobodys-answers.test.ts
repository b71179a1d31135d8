import { describe, expect, test } from 'vitest'
import type { Assent, Elicitation } from '../../src/index.ts'
import { audited } from '../support/approval/approving.ts'
import { type Connect, connect06, connect11, connect26, type Reply } from '../support/asking/asking-clients.ts'
import { handClock } from '../support/client/hand-clock.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { localPage, until } from '../support/server/servers.ts'

const upstreams = Object.entries(askingUpstreams).filter(([name]) => name.endsWith('over HTTP'))
const copilot = { name: 'copilot-cli', version: '1.0.102' }
const both = { form: {}, url: {} }

/** What a server asks by, the tool that asks, how it is answered in the inbox, and what the tool then says. */
const questions = [
  ['form', 'build', { content: { branch: 'main' } }, 'built main'],
  ['page', 'open', {}, 'opened accept'],
] as const

type Hold = number | '5m'

/** A gateway that holds a call only shortly, by a clock that stands still unless the test moves it. */
async function meet(
  start: (typeof upstreams)[number][1],
  how: Connect,
  elicitation: object | undefined,
  hold: Hold = 50,
) {
  const clock = handClock()
  const { assent, connect } = await gated({ up: await start() }, { clocks: { hold }, assentOptions: { clock } })
  const client = await connect(how, { only: 'up', info: copilot, elicitation: elicitation as never })
  return { assent, client, clock }
}

/** Resolves when the client has answered so many questions for the person. */
const unseen = (assent: Assent, count: number) =>
  until(async () => (await audited(assent, 'answered-unseen')).length === count)

async function onlyQuestion(assent: Assent): Promise<Elicitation> {
  const open = await assent.store.elicitations.listAllOpen(10)
  expect(open).toHaveLength(1)
  return open[0] as Elicitation
}

describe.each(upstreams)('a server of %s', (_era, start) => {
  describe.each([
    ['2025', connect11],
    ['2026', connect26],
  ] as const)('behind a client of %s that answers for the person', (_, how) => {
    test.each([
      ['form', 'decline'],
      ['form', 'cancel'],
      ['page', 'decline'],
      ['page', 'cancel'],
      ['page', 'accept'],
    ] as const)('asks by a %s, gets no %s that nobody gave, and gets the later answer', async (mode, action) => {
      const { assent, client } = await meet(start, how, both)
      const [, tool, answer, end] = questions.find(([name]) => name === mode) as (typeof questions)[number]
      client.answers((): Reply => ({ action }))
      const first = await client.call(tool)
      expect(first.outcome).toEqual({ status: 'pending', reason: 'waiting-for-answer' })
      const { id } = await onlyQuestion(assent)
      expect(first.text).toContain(
        `Tell the person this link: ${assent.linkTo(id, mode === 'form' ? 'form' : 'confirm')}`,
      )
      expect(await audited(assent, 'answered-unseen')).toMatchObject([{ data: { action } }])

      await assent.answer(id, localPage, { action: 'accept', ...answer })
      client.answers(() => {
        throw new Error('asked again')
      })
      expect((await client.call(tool)).text).toBe(end)
      // It counted once.
      client.answers((): Reply => ({ action }))
      expect((await client.call(tool)).outcome).toMatchObject({ status: 'pending' })
    })

    test('takes its no for the person’s where that took as long as reading does', async () => {
      const { client, clock } = await meet(start, how, both)
      client.answers((): Reply => {
        clock.advance(1_100)
        return { action: 'decline' }
      })
      expect((await client.call('open')).text).toBe('opened decline')
      expect((await client.call('build')).text).toBe('built decline')
    })

    test('asks two forms one after the other, and each is answered in the inbox while the call is held', async () => {
      const { assent, client } = await meet(start, how, both, '5m')
      client.answers((): Reply => ({ action: 'decline' }))
      const branches = ['one', 'two']
      assent.events.listen((news) => {
        if (news.kind !== 'asked' || news.elicitation.state.kind !== 'open') return
        // The client gives its own answer first.
        setImmediate(async () => {
          await unseen(assent, 3 - branches.length)
          const content = { branch: branches.shift() as string }
          await assent.answer(news.elicitation.id, localPage, { action: 'accept', content })
        })
      })
      expect((await client.call('twice')).text).toBe('one two')
    })
  })

  describe.each([
    ['2025-06-18', connect06, undefined],
    ['2025-11-25', connect11, undefined],
    ['2025-11-25 without pages', connect11, { form: {} }],
    ['2026-07-28', connect26, undefined],
    ['2026-07-28 without pages', connect26, { form: {} }],
  ] as const)('behind a client of %s', (_, how, elicitation) => {
    test.each(questions.filter(([mode]) => elicitation === undefined || mode === 'page'))(
      'by a %s that nobody answers ends the call in words with a link, and a later answer counts for the same call',
      async (...[, tool, answer, end]) => {
        const { assent, client } = await meet(start, how, elicitation)
        const first = await client.call(tool)
        expect(first.outcome).toEqual({ status: 'pending', reason: 'waiting-for-answer' })
        const asked = await onlyQuestion(assent)
        expect(first.text).toMatch(/Tell the person this link: http\S+/)
        expect(first.text).toContain(asked.id)
        // The server had begun to work on it.
        expect(first.text).not.toContain('Nothing ran')
        await assent.answer(asked.id, localPage, { action: 'accept', ...answer })
        expect((await client.call(tool)).text).toBe(end)
      },
    )
  })
})
