import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import type { ElicitationId, ElicitationNews } from '../../src/index.ts'
import { type Asks, type ExplicitAsking, explicitAsking } from '../../src/server/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { type RawCall, rawCall } from '../support/asking/asking-raw.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { allowOnce } from '../support/server/approving.ts'
import { type AskingOptions, asking, localPage, nextAsked, say, until } from '../support/server/servers.ts'

type Work = (steps: ExplicitAsking, ask: Asks) => Promise<unknown>

/** A server whose tool `work` asks step by step, and how often its handler ran. */
async function working(work: Work, options: AskingOptions = {}) {
  const runs: number[] = []
  const served = await asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask: Asks, ctx: ServerContext) => {
        runs.push(runs.length + 1)
        return say(JSON.stringify(await work(explicitAsking(ctx, ask), ask)))
      }),
    )
  }, options)
  const call = (more: Partial<RawCall> = {}) => rawCall(served.url, { name: 'work', ...more })
  return { ...served, runs, call }
}

const message = 'Which branch?'
const schema = { type: 'object', properties: { branch: { type: 'string', maxLength: 5 } }, required: ['branch'] }

/** Ends with a page of Assent's own until its result is there. */
const untilAnswered: Work = async (steps) => {
  const known = await steps.findByUserAndType('local', 'branch')
  if (known?.success) return known.data
  const { elicitationId, url } = await steps.createUrl({ message, path: 'form', schema, metadata: { type: 'branch' } })
  return steps.throwRequired([{ mode: 'url', message, url, elicitationId }])
}

const accepts = (reply: Awaited<ReturnType<typeof rawCall>>) =>
  Object.fromEntries(Object.keys(reply.result?.inputRequests ?? {}).map((key) => [key, { action: 'accept' }]))

describe('a handler of a 2026 client that throws required pages', () => {
  test('ends the round with those pages', async () => {
    const { call, assent } = await working(untilAnswered)
    const asked = nextAsked(assent)
    const { result } = await call()
    const { id } = await asked
    expect(result?.resultType).toBe('input_required')
    expect(result?.requestState).toEqual(expect.any(String))
    const requests = Object.values(result?.inputRequests ?? {})
    expect(requests).toEqual([
      {
        method: 'elicitation/create',
        params: expect.objectContaining({ mode: 'url', message, url: `http://127.0.0.1:4180/elicit/${id}/form` }),
      },
    ])
  })

  test('is held after the accept, and runs again as soon as the page is answered', async () => {
    const { assent, connect, runs } = await working(untilAnswered)
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept' }))
    const asked = nextAsked(assent)
    // When the handler runs for the retry, it asks for the page again, which is still open.
    const joined = new Promise<void>((resolve) => {
      assent.events.listen(({ kind }) => kind === 'joined' && resolve())
    })
    const calling = client.call('work')
    const { id } = await asked
    await joined
    await assent.answer(id, localPage, { action: 'accept', content: { branch: 'main' } })
    expect((await calling).text).toBe('{"branch":"main"}')
    expect(client.asked).toHaveLength(1)
    // At the first call, at the retry, and once more in the same retry after the answer.
    expect(runs).toHaveLength(3)
    expect(client.sent.filter(({ method }) => method === 'tools/call')).toHaveLength(2)
  })

  test('asks nobody twice while the page is open: a retry that was held long enough ends with the state alone', async () => {
    const { assent, call } = await working(untilAnswered, { clocks: { hold: 50 } })
    const asked = nextAsked(assent)
    const first = await call()
    const { id } = await asked
    const held = await call({ inputResponses: accepts(first), requestState: first.result?.requestState })
    expect(held.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(held.result?.inputRequests).toBeUndefined()
    const again = await call({ requestState: held.result?.requestState })
    expect(again.result?.inputRequests).toBeUndefined()
    await assent.answer(id, localPage, { action: 'accept', content: { branch: 'main' } })
    const done = await call({ requestState: again.result?.requestState })
    expect(done.result?.content).toEqual([{ type: 'text', text: '{"branch":"main"}' }])
  })

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ] as const)('a %s in the client is a refusal, and settles the question', async (action, status) => {
    const { assent, connect } = await working(untilAnswered)
    const client = await connect(connect26)
    client.answers(() => ({ action }))
    const asked = nextAsked(assent)
    const refused = await client.call('work')
    expect(refused).toMatchObject({ isError: true, outcome: { status }, structuredContent: undefined })
    const { id } = await asked
    expect((await assent.get(id))?.state).toMatchObject({ kind: 'answered', answer: { action } })
  })

  test('a decline on the page is a refusal too', async () => {
    const { assent, connect } = await working(untilAnswered)
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept' }))
    const asked = nextAsked(assent)
    const calling = client.call('work')
    await assent.answer((await asked).id, localPage, { action: 'decline' })
    expect(await calling).toMatchObject({ isError: true, outcome: { status: 'declined' } })
  })

  test('two pages go out together, and both must be done', async () => {
    const ids: ElicitationId[] = []
    const { assent, call } = await working(
      async (steps) => {
        const pages = await Promise.all(
          ['one', 'two'].map(async (type) => {
            const known = await steps.findByUserAndType('local', type)
            if (known?.success) return []
            const { elicitationId, url } = await steps.createUrl({ message: type, path: 'confirm', metadata: { type } })
            if (!ids.includes(elicitationId)) ids.push(elicitationId)
            return [{ mode: 'url' as const, message: type, url, elicitationId }]
          }),
        )
        return pages.flat().length === 0 ? 'both' : steps.throwRequired(pages.flat())
      },
      { clocks: { hold: 50 } },
    )
    const first = await call()
    expect(Object.keys(first.result?.inputRequests ?? {})).toHaveLength(2)
    await assent.answer(ids[0] as ElicitationId, localPage, { action: 'accept', content: {} })
    const held = await call({ inputResponses: accepts(first), requestState: first.result?.requestState })
    expect(held.result).toMatchObject({ resultType: 'input_required' })
    expect(held.result?.inputRequests).toBeUndefined()
    await assent.answer(ids[1] as ElicitationId, localPage, { action: 'accept', content: {} })
    const done = await call({ requestState: held.result?.requestState })
    expect(done.result?.content).toEqual([{ type: 'text', text: '"both"' }])
  })

  test('may ask for all of its pages until the last one is done', async () => {
    const pages: Parameters<ExplicitAsking['throwRequired']>[0][number][] = []
    const { assent, call } = await working(
      async (steps) => {
        if (pages.length === 0) {
          for (const message of ['one', 'two']) {
            const { elicitationId, url } = await steps.createUrl({ message, path: 'confirm' })
            pages.push({ mode: 'url', message, url, elicitationId })
          }
        }
        const results = await Promise.all(pages.map((page) => steps.getResult(page.elicitationId as ElicitationId)))
        return results.every((result) => result?.success) ? 'both' : steps.throwRequired(pages)
      },
      { clocks: { hold: 50 } },
    )
    const answer = (index: number) =>
      assent.answer(pages[index]?.elicitationId as ElicitationId, localPage, { action: 'accept', content: {} })
    const first = await call()
    await answer(0)
    const held = await call({ inputResponses: accepts(first), requestState: first.result?.requestState })
    const again = await call({ requestState: held.result?.requestState })
    expect(again.result).toMatchObject({ resultType: 'input_required' })
    expect(again.result?.inputRequests).toBeUndefined()
    await answer(1)
    const done = await call({ requestState: again.result?.requestState })
    expect(done.result?.content).toEqual([{ type: 'text', text: '"both"' }])
  })

  test('after a form that was answered, and the form is not asked again', async () => {
    const { assent, connect } = await working(async (steps, ask) => {
      const { name } = await ask.form('Who?', { type: 'object', properties: { name: { type: 'string' } } })
      return [name, await untilAnswered(steps, ask)]
    })
    const client = await connect(connect26)
    client.answers(({ mode }) =>
      mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ann' } },
    )
    const asked = nextAsked(assent)
    const calling = client.call('work')
    await assent.answer((await asked).id, localPage, { action: 'accept', content: { branch: 'main' } })
    expect(JSON.parse((await calling).text)).toEqual(['Ann', { branch: 'main' }])
    expect(client.asked.map((one) => one.message)).toEqual(['Who?', message])
  })

  test('a client that did not declare url mode is told what it lacks, by an error', async () => {
    const { call } = await working(untilAnswered)
    const { error, result } = await call({ elicitation: { form: {} } })
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { elicitation: { url: {} } } } })
  })

  test('that asks for a page again although it was answered, ends with a refusal and no loop', async () => {
    const { assent, connect, runs } = await working(async (steps) => {
      const { elicitationId, url } = await steps.createUrl({ message, path: 'confirm' })
      kept ??= { mode: 'url' as const, message, url, elicitationId }
      return steps.throwRequired([kept])
    })
    let kept: Parameters<ExplicitAsking['throwRequired']>[0][number] | undefined
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept' }))
    const asked = nextAsked(assent)
    const calling = client.call('work')
    await assent.answer((await asked).id, localPage, { action: 'accept', content: {} })
    expect(await calling).toMatchObject({ isError: true, outcome: { status: 'failed', reason: 'page-required-again' } })
    expect(runs.length).toBeLessThan(5)
  })
})

describe('a page that was not made with createUrl', () => {
  const page = { mode: 'url', message: 'Sign', url: 'https://sign.example.com/1', elicitationId: 'sign-1' } as const

  test('is asked once, and looked for again until the handler has what it needs', async () => {
    let isSigned = false
    const { assent, connect, runs } = await working(async (steps) =>
      isSigned ? 'signed' : steps.throwRequired([page]),
    )
    const news: ElicitationNews[] = []
    assent.events.listen((one) => void news.push(one))
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept' }))
    const calling = client.call('work')
    await until(() => runs.length >= 3)
    expect(client.asked).toEqual([expect.objectContaining({ mode: 'url', message: 'Sign', url: page.url })])
    isSigned = true
    expect((await calling).text).toBe('"signed"')
    expect(client.asked).toHaveLength(1)
    expect(news).toEqual([
      expect.objectContaining({ kind: 'carried-asked', mode: 'url' }),
      expect.objectContaining({ kind: 'carried-answered', mode: 'url', action: 'accept' }),
    ])
    // A second between two looks, so a busy loop would have run the handler far more often.
    expect(runs.length).toBeLessThan(20)
  })

  test('that the person will not open ends the call with a refusal', async () => {
    const { connect } = await working(async (steps) => steps.throwRequired([page]))
    const client = await connect(connect26)
    client.answers(() => ({ action: 'decline' }))
    expect(await client.call('work')).toMatchObject({ isError: true, outcome: { status: 'declined' } })
  })

  test('and is never finished ends the call when the time for a question is over', async () => {
    const clock = fixedClock(new Date('2026-01-01T10:00:00Z'))
    const { call } = await working(async (steps) => steps.throwRequired([page]), {
      assentOptions: { clock },
      clocks: { question: '10m' },
    })
    const first = await call()
    const opened = await call({ inputResponses: accepts(first), requestState: first.result?.requestState })
    expect(opened.result).toMatchObject({ resultType: 'input_required' })
    expect(opened.result?.inputRequests).toBeUndefined()
    clock.advance(9 * 60_000)
    const waiting = await call({ requestState: opened.result?.requestState })
    expect(waiting.result).toMatchObject({ resultType: 'input_required' })
    clock.advance(2 * 60_000)
    const over = await call({ requestState: waiting.result?.requestState })
    expect(over.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'expired' } } })
  })
})

describe('a call that was approved', () => {
  const policies = {
    'by policy': { default: 'allow' },
    'by a person': { rules: [{ tool: 'deploy', decide: 'ask' }] },
  } as const

  test.each(Object.entries(policies))(
    '%s goes on after its page, and is started and finished once',
    async (_, policy) => {
      let runs = 0
      const { assent, connect } = await asking(
        (server, { approvedTool }) => {
          server.registerTool(
            'deploy',
            {},
            approvedTool(async (_args, ask, ctx) => {
              runs += 1
              return say(JSON.stringify(await untilAnswered(explicitAsking(ctx, ask), ask)))
            }),
          )
        },
        { assentOptions: { policy: policy as never } },
      )
      const client = await connect(connect26)
      client.answers((asked) => (asked.mode === 'url' ? { action: 'accept' } : allowOnce(asked)))
      const page = new Promise<ElicitationId>((resolve) => {
        assent.events.listen((one) => {
          if (one.kind === 'joined' && one.elicitation.question.mode === 'url') resolve(one.elicitation.id)
        })
      })
      const calling = client.call('deploy')
      await assent.answer(await page, localPage, { action: 'accept', content: { branch: 'main' } })
      expect(await calling).toMatchObject({ isError: false, text: '{"branch":"main"}' })
      expect(runs).toBe(3)
      expect(await callsIn(assent)).toEqual([['call-started', 'call-finished done']])
    },
  )

  test('and whose page is declined has its end in the audit', async () => {
    const { assent, connect } = await asking(
      (server, { approvedTool }) => {
        server.registerTool(
          'deploy',
          {},
          approvedTool(async (_args, ask, ctx) =>
            say(JSON.stringify(await untilAnswered(explicitAsking(ctx, ask), ask))),
          ),
        )
      },
      { assentOptions: { policy: policies['by policy'] } },
    )
    const client = await connect(connect26)
    client.answers(() => ({ action: 'decline' }))
    expect(await client.call('deploy')).toMatchObject({ isError: true, outcome: { status: 'declined' } })
    expect(await callsIn(assent)).toEqual([['call-started', 'call-finished failed']])
  })
})

describe.each([
  ['SDK 2.4', connect11],
  ['SDK 1.32', connectOld],
])('a 2025-11-25 client of %s', (_, how) => {
  test('gets the pages by -32042, as before (E11-23)', async () => {
    const { connect } = await working(untilAnswered)
    const client = await connect(how)
    const error = await client.call('work').catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: -32_042,
      data: {
        elicitations: [
          { mode: 'url', message, url: expect.stringContaining('/form'), elicitationId: expect.any(String) },
        ],
      },
    })
    expect(client.asked).toEqual([])
  })

  test('hears of a completion that the author sends after the error, on its standalone stream (E11-20)', async () => {
    let notify: (() => Promise<void>) | undefined
    const { connect } = await working(async (steps) => {
      const { elicitationId, url, completionNotifier } = await steps.createUrl({ message, path: 'confirm' })
      notify = completionNotifier
      return steps.throwRequired([{ mode: 'url', message, url, elicitationId }])
    })
    const [asker, other] = [await connect(how), await connect(how)]
    const error = await asker.call('work').catch((thrown) => thrown)
    expect(asker.completed).toEqual([])
    await notify?.()
    await until(() => asker.completed.length > 0)
    await other.request('ping', {})
    expect(asker.completed).toEqual([error.data.elicitations[0].elicitationId])
    expect(other.completed).toEqual([])
  })
})

test.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
])(
  'on %s createUrl keeps the schema of its page: an answer that does not fit is refused, a good one is found by getResult',
  async (_, how) => {
    let id: ElicitationId | undefined
    const { assent, connect } = await working(async (steps) => {
      if (id !== undefined) return (await steps.getResult(id)) ?? 'nothing yet'
      const created = await steps.createUrl({ message, path: 'form', schema })
      id = created.elicitationId
      return 'asked'
    })
    const client = await connect(how)
    expect((await client.call('work')).text).toBe('"asked"')
    const asked = id as unknown as ElicitationId
    expect((await assent.get(asked))?.question).toMatchObject({ mode: 'url', page: 'form', schema })
    const tooLong = await assent.answer(asked, localPage, { action: 'accept', content: { branch: 'far too long' } })
    expect(tooLong).toMatchObject({ kind: 'invalid', errors: [{ field: 'branch' }] })
    expect((await client.call('work')).text).toBe('"nothing yet"')
    await assent.answer(asked, localPage, { action: 'accept', content: { branch: 'main' } })
    expect(JSON.parse((await client.call('work')).text)).toMatchObject({ success: true, data: { branch: 'main' } })
  },
)
