import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Asks } from '../../src/server/index.ts'
import { type Answers, connect06, connect11, connectOld } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { type AskingOptions, asking, localPage, nextAsked, promised, say, until } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

const a = z.object({ a: z.string() })
const never: Answers = () => new Promise(() => {})

/** A server with one tool, `work`. */
const working = (work: (ask: Asks) => Promise<string>, options: AskingOptions = {}) =>
  asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask) => say(await work(ask))),
    )
  }, options)

const asksA = async (ask: Asks) => (await ask.form('A?', a)).a
const signs = async (ask: Asks) => (await ask.url('Sign', 'https://example.com/s')).action

describe('a pushed form that gets no answer in its time', () => {
  test('moves to a page when the client can open one, and is counted', async () => {
    const { assent, connect, fallbacks } = await working(asksA, { clocks: { question: '2s' } })
    const client = await connect(connect11)
    client.answers((asked) => (asked.mode === 'url' ? { action: 'accept' } : never(asked)))
    const calling = client.call('work')
    await until(() => client.asked.some(({ mode }) => mode === 'url'))
    const [open] = await assent.listOpen(localPage, 10)
    expect(open?.question).toMatchObject({ mode: 'url', page: 'form', message: 'A?' })
    await assent.answer(open?.id as never, localPage, { action: 'accept', content: { a: 'from the page' } })
    expect((await calling).text).toBe('from the page')
    expect(fallbacks).toEqual(['unanswered'])
  })

  test.each([
    ['2025-06-18', connect06],
    ['2025-11-25', connect11],
  ])('is refused by a %s client that knows only forms, and counted', async (_revision, how) => {
    const { assent, connect, fallbacks } = await working(asksA, { clocks: { question: '50ms' } })
    const client = await connect(how, { elicitation: {} })
    client.answers(never)
    const outcome = { status: 'expired', reason: 'unanswered' }
    expect(await client.call('work')).toMatchObject({ isError: true, outcome })
    expect(fallbacks).toEqual(['unanswered'])
    expect(await assent.listOpen(localPage, 10)).toEqual([])
  })

  test('the same when the client declared what it cannot do, and answers with an error', async () => {
    const { connect, fallbacks } = await working(asksA)
    const client = await connect(connect11, { elicitation: {} })
    client.answers(() => {
      throw new Error('no window')
    })
    expect(await client.call('work')).toMatchObject({ isError: true, outcome: { status: 'expired' } })
    expect(fallbacks).toEqual(['unanswered'])
  })
})

describe('a pushed question', () => {
  test('to open a page that gets no answer in its time is refused, taken back and counted', async () => {
    const { assent, connect, fallbacks } = await working(signs, { clocks: { question: '50ms' } })
    const client = await connect(connect11)
    client.answers(never)
    const outcome = { status: 'expired', reason: 'unanswered' }
    expect(await client.call('work')).toMatchObject({ isError: true, outcome })
    expect(fallbacks).toEqual(['unanswered'])
    expect(await assent.listOpen(localPage, 10)).toEqual([])
    expect(client.completed).toEqual([])
  })

  test('whose page nobody finishes in time ends the call, and nobody is told that it is complete (E11-20)', async () => {
    const { assent, connect } = await working(signs, { clocks: { question: '50ms' } })
    const client = await connect(connect11)
    client.answers(() => ({ action: 'accept' }))
    const outcome = { status: 'expired', reason: 'unanswered' }
    expect(await client.call('work')).toMatchObject({ isError: true, outcome })
    expect(client.completed).toEqual([])
    // Its time is over, so the inbox no longer shows it; an answer that is on its way may still settle it.
    expect(await assent.listOpen(localPage, 10)).toEqual([])
    expect(await assent.store.elicitations.listAllOpen(10)).toHaveLength(1)
  })

  test.each([
    ['SDK 1.32', connectOld],
    ['SDK 2.4', connect11],
  ])('answered elsewhere first is settled by that, and the push to %s is cancelled', async (_name, how) => {
    const { assent, connect } = await working(asksA)
    const client = await connect(how)
    const shown = promised()
    client.answers((asked) => {
      shown.keep()
      return never(asked)
    })
    const asked = nextAsked(assent)
    const calling = client.call('work')
    await shown.promise
    const answer = { action: 'accept', content: { a: 'inbox' } } as const
    await assent.answer((await asked).id, { ...localPage, via: 'inbox' }, answer)
    expect((await calling).text).toBe('inbox')
    // On the wire: the old SDK does not pass on the cancelling of a request whose id is 0.
    await until(() => client.received().includes('notifications/cancelled'))
  })

  test('accept on a page is not completion: the call waits on (E11-19)', async () => {
    const { assent, connect } = await working(signs)
    const client = await connect(connect11)
    const asked = nextAsked(assent)
    client.answers(() => ({ action: 'accept' }))
    let isOver = false
    const calling = client.call('work').finally(() => {
      isOver = true
    })
    const { id } = await asked
    await until(() => client.sent.some((message) => 'result' in message))
    expect((await assent.get(id))?.state.kind).toBe('open')
    expect(isOver).toBe(false)
    expect(client.completed).toEqual([])
    await assent.answer(id, localPage, { action: 'accept' })
    expect((await calling).text).toBe('accept')
    expect(client.completed).toEqual([id])
  })

  test.each(['decline', 'cancel'] as const)('%s of a page settles the question', async (action) => {
    const { assent, connect } = await working(signs)
    const client = await connect(connect11)
    const asked = nextAsked(assent)
    client.answers(() => ({ action }))
    const status = action === 'decline' ? 'declined' : 'cancelled'
    expect(await client.call('work')).toMatchObject({ isError: true, outcome: { status } })
    expect((await assent.get((await asked).id))?.state).toMatchObject({ kind: 'answered', answer: { action } })
  })

  test('of two clients only the one that was asked hears that it is complete (E11-20)', async () => {
    const { assent, connect } = await working(signs)
    const [asker, other] = [await connect(connect11), await connect(connect11)]
    asker.answers(() => ({ action: 'accept' }))
    const asked = nextAsked(assent)
    const calling = asker.call('work')
    const { id } = await asked
    await assent.answer(id, localPage, { action: 'accept' })
    await calling
    other.answers(() => ({ action: 'decline' }))
    await other.call('work')
    expect(asker.completed).toEqual([id])
    expect(other.completed).not.toContain(id)
  })

  test('the asking client hears of it also when the answer came through another Assent on the store (E11-20)', async () => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const elsewhere = await anAssent({ store })
    const { assent, connect } = await working(signs, { assent: await anAssent({ store }) })
    const client = await connect(connect11)
    client.answers(() => ({ action: 'accept' }))
    const asked = nextAsked(assent)
    const calling = client.call('work')
    const { id } = await asked
    await elsewhere.answer(id, localPage, { action: 'accept' })
    expect((await calling).text).toBe('accept')
    expect(client.completed).toEqual([id])
  })

  test('a requester who drops out frees the waiter, and the question stays open (H26-11)', async () => {
    const { assent, connect } = await working(asksA)
    const client = await connect(connect11)
    const shown = promised()
    client.answers((asked) => {
      shown.keep()
      return never(asked)
    })
    const freed = promised<{ waited: Promise<unknown> }>()
    const { wait } = assent
    Object.assign(assent, {
      wait: (...args: Parameters<typeof wait>) => {
        const waited = wait(...args)
        freed.keep({ waited })
        return waited
      },
    })
    const calling = expect(client.call('work')).rejects.toThrow()
    await shown.promise
    const { waited } = await freed.promise
    await client.endSession()
    await client.close()
    await calling
    expect(await waited).toMatchObject({ state: { kind: 'open' } })
    expect(await assent.listOpen(localPage, 10)).toHaveLength(1)
  })

  test('a client that gives the call up leaves its question open', async () => {
    const { assent, connect } = await working(asksA)
    const client = await connect(connect11)
    const shown = promised()
    client.answers((asked) => {
      shown.keep()
      return never(asked)
    })
    const away = new AbortController()
    const asked = nextAsked(assent)
    const calling = expect(client.call('work', {}, { signal: away.signal })).rejects.toThrow()
    await shown.promise
    away.abort()
    await calling
    const { id } = await asked
    expect((await assent.get(id))?.state).toMatchObject({ kind: 'open' })
  })

  test('while a person thinks, progress rises through all questions of the call (X26-04)', async () => {
    const { assent, connect } = await working(async (ask) => {
      await ask.form('A?', a)
      await ask.url('Sign', 'https://example.com/1')
      await ask.url('Sign', 'https://example.com/2')
      return 'done'
    })
    assent.events.listen((news) => {
      if (news.kind === 'asked' && news.elicitation.question.mode === 'url')
        void assent.answer(news.elicitation.id, localPage, { action: 'accept' })
    })
    const client = await connect(connect11)
    client.answers(({ mode }) => ({ action: 'accept', ...(mode !== 'url' && { content: { a: 'x' } }) }))
    const seen: number[] = []
    const { text } = await client.call('work', {}, { onprogress: ({ progress }) => seen.push(progress) })
    expect(text).toBe('done')
    expect(seen).toEqual([1, 2, 3])
  })

  test('goes to 2025-06-18 without a mode, and its schema without what that revision lacks (E06-04, E11-13)', async () => {
    const { connect } = await working(async (ask) => {
      const form = z.object({ of: z.array(z.enum(['x', 'y'])), name: z.string().default('Ada') })
      return JSON.stringify(await ask.form('Pick', form))
    })
    const client = await connect(connect06)
    client.answers(({ requestedSchema }) => {
      const [first] = Object.keys(requestedSchema?.properties ?? {})
      return { action: 'accept', content: { [String(first)]: true, name: 'Grace' } }
    })
    expect(JSON.parse((await client.call('work')).text)).toEqual({ of: ['x'], name: 'Grace' })
    expect(client.received()).not.toContain('"mode"')
    expect(client.received()).not.toContain('"default":"Ada"')
  })
})
