import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Asks } from '../../src/server/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { everyAssent } from '../support/assents.ts'
import { type AskingOptions, asking, promised, say } from '../support/server/servers.ts'

const a = z.object({ a: z.string() })
const given = { action: 'accept', content: { a: 'x' } } as const

const working = (work: (ask: Asks) => Promise<unknown>, options: AskingOptions = {}) =>
  asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask) => say(JSON.stringify((await work(ask)) ?? null))),
    )
  }, options)

describe('once', () => {
  test.each(everyAssent)('on $name, is done once, and its result is there in every round', async ({ assent }) => {
    let deeds = 0
    const { connect } = await working(
      async (ask) => {
        const made = await ask.once('make', () => ({ number: ++deeds, at: 'ü' }))
        const { a: said } = await ask.form('A?', a)
        const { a: also } = await ask.form('And?', a)
        return [made, said, also]
      },
      { assent: await assent() },
    )
    for (const [index, how] of [connect11, connect26].entries()) {
      const client = await connect(how)
      client.answers(() => given)
      expect(JSON.parse((await client.call('work')).text)).toEqual([{ number: index + 1, at: 'ü' }, 'x', 'x'])
    }
    expect(deeds).toBe(2)
  })

  test('each call is a walk of its own', async () => {
    let deeds = 0
    const { connect } = await working((ask) => ask.once('make', () => ++deeds))
    const client = await connect(connect26)
    expect([(await client.call('work')).text, (await client.call('work')).text]).toEqual(['1', '2'])
  })

  test('nothing is a result too', async () => {
    let deeds = 0
    const { connect } = await working(async (ask) => {
      await ask.once('make', () => {
        deeds += 1
      })
      await ask.form('A?', a)
      return 'done'
    })
    const client = await connect(connect26)
    client.answers(() => given)
    expect((await client.call('work')).text).toBe('"done"')
    expect(deeds).toBe(1)
  })

  test('two names are two steps', async () => {
    const { connect } = await working(async (ask) => [await ask.once('a', () => 1), await ask.once('b', () => 2)])
    expect((await (await connect(connect26)).call('work')).text).toBe('[1,2]')
  })

  test('what is under way is not begun again by a client that sends its state twice (M26-11)', async () => {
    const [begun, finish] = [promised(), promised()]
    let deeds = 0
    const { url } = await working(
      async (ask) => {
        await ask.form('A?', a)
        return ask.once('make', async () => {
          deeds += 1
          begun.keep()
          await finish.promise
          return 'made'
        })
      },
      { clocks: { hold: 300 } },
    )
    const { result } = await rawCall(url, { name: 'work' })
    const retry = { name: 'work', inputResponses: { 1: given }, requestState: result?.requestState }
    const first = rawCall(url, retry)
    await begun.promise
    const second = await rawCall(url, retry)
    expect(second.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'already-run' } } })
    finish.keep()
    expect((await first).result?.content?.[0]?.text).toBe('"made"')
    const third = await rawCall(url, retry)
    expect(third.result?.content?.[0]?.text).toBe('"made"')
    expect(deeds).toBe(1)
  })

  test('a step that failed is not tried again: nobody knows how far it came', async () => {
    let deeds = 0
    const { url } = await working(
      async (ask) => {
        await ask.form('A?', a)
        return ask.once('make', () => {
          deeds += 1
          throw new Error('lost the line')
        })
      },
      { clocks: { hold: 300 } },
    )
    const { result } = await rawCall(url, { name: 'work' })
    const retry = { name: 'work', inputResponses: { 1: given }, requestState: result?.requestState }
    expect((await rawCall(url, retry)).result).toMatchObject({
      isError: true,
      content: [{ text: 'lost the line' }],
    })
    expect((await rawCall(url, retry)).result).toMatchObject({
      isError: true,
      _meta: { 'assent/outcome': { status: 'already-run' } },
    })
    expect(deeds).toBe(1)
  })

  test('what cannot be kept as JSON is refused', async () => {
    const { connect } = await working((ask) => ask.once('make', () => 1n as never))
    expect(await (await connect(connect26)).call('work')).toMatchObject({ isError: true })
  })
})

describe('a yes', () => {
  test('sent again with the same state is spent, and nothing is done again (M26-11)', async () => {
    let deeds = 0
    const { url } = await working(async (ask) => {
      await ask.confirm('Sure?')
      return ++deeds
    })
    const { result } = await rawCall(url, { name: 'work' })
    const yes = { 1: { action: 'accept', content: { confirm: true } } }
    const retry = { name: 'work', inputResponses: yes, requestState: result?.requestState }
    const replies = await Promise.all(Array.from({ length: 5 }, () => rawCall(url, retry)))
    const ran = replies.filter((reply) => reply.result?.isError !== true)
    expect(ran).toHaveLength(1)
    expect(deeds).toBe(1)
    for (const reply of replies.filter((one) => !ran.includes(one))) {
      expect(reply.result?._meta?.['assent/outcome']?.status).toBe('already-run')
    }
  })

  test('is not believed before the question was put (M26-07)', async () => {
    let deeds = 0
    const { url } = await working(async (ask) => {
      await ask.confirm('Sure?')
      return ++deeds
    })
    const yes = { 1: { action: 'accept', content: { confirm: true } } }
    const reply = await rawCall(url, { name: 'work', inputResponses: yes })
    expect(reply.result?.resultType).toBe('input_required')
    expect(deeds).toBe(0)
  })

  test('that must be given on a page is not taken from the client (E11-19)', async () => {
    const { assent, connect } = await working(async (ask) => {
      await ask.confirm('Sure?', { answer: 'page', title: 'Delete', confirmLabel: 'Go' })
      return 'done'
    })
    for (const how of [connect11, connect26]) {
      const client = await connect(how)
      client.answers(() => ({ action: 'accept', content: { confirm: true } }))
      const calling = client.call('work')
      const stop = assent.events.listen((news) => {
        if (news.kind !== 'asked') return
        expect(news.elicitation).toMatchObject({ purpose: 'confirm', question: { mode: 'url', page: 'confirm' } })
        const who = { participant: 'local' as never, groups: [], via: 'page' } as const
        void assent.answer(news.elicitation.id, who, { action: 'accept' })
      })
      expect((await calling).text).toBe('"done"')
      stop()
      expect(client.asked.map(({ mode }) => mode)).toEqual(['url'])
    }
  })
})
