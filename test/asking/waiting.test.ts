import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Asks } from '../../src/asking/asks.ts'
import type { Assent, Elicitation } from '../../src/index.ts'
import { audited } from '../support/approval/approving.ts'
import { type Connect, connect11, connect26, connectOld, type Reply } from '../support/asking/asking-clients.ts'
import { asking, localPage, nextAsked, promised, say } from '../support/server/servers.ts'

const branch = z.object({ branch: z.string() })

/** A server whose questions wait in the inbox where the client cannot be asked. */
async function waiting(run: (ask: Asks) => Promise<string>, more: object = {}) {
  let runs = 0
  const ended = promised()
  const { assent, connect } = await asking(
    (server, { plainTool }) => {
      server.registerTool(
        'work',
        {},
        plainTool(async (ask) => {
          const text = await run(ask).finally(() => ended.keep())
          runs += 1
          return say(text)
        }),
      )
    },
    {
      fallback: 'inbox',
      clocks: { hold: 50 },
      // A busy machine may take more than a second for what a client does at once.
      quirks: [{ name: 'copilot-cli', unseenWithin: '1h' }],
      ...more,
    },
  )
  return { assent, connect, runs: () => runs, ended: ended.promise }
}

async function onlyQuestion(assent: Assent): Promise<Elicitation> {
  const open = await assent.store.elicitations.listAllOpen(10)
  expect(open).toHaveLength(1)
  return open[0] as Elicitation
}

const clients = [
  ['2025-11-25', connect11],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2026-07-28', connect26],
] as const
const apiKey = { apiKey: 'sk-1' }

/** Each kind of question, how it is answered, and what comes of it. */
const kinds: readonly [string, (ask: Asks) => Promise<string>, Record<string, string> | undefined, string][] = [
  ['a form', async (ask) => (await ask.form('Which branch?', branch)).branch, { branch: 'main' }, 'main'],
  ['a page', async (ask) => (await ask.url('Sign', 'https://example.com/')).action, undefined, 'accept'],
  ['a secret', async (ask) => `${(await ask.secret('Which key?')).length} characters`, apiKey, '4 characters'],
  ['a yes', async (ask) => ask.confirm('Really?').then(() => 'confirmed'), undefined, 'confirmed'],
]

describe.each(clients)('for a client of %s that cannot be asked', (_, how) => {
  test.each(kinds)(
    '%s waits in the inbox, and the same call goes on with its answer, once',
    async (...[, run, content, end]) => {
      const { assent, connect, runs } = await waiting(run)
      const client = await connect(how, { elicitation: undefined })
      const first = await client.call('work')
      expect(first.outcome).toEqual({ status: 'pending', reason: 'waiting-for-answer' })
      expect(first.text).toContain('Tell the person this link: http')
      // The same call waits for the same question.
      expect((await client.call('work')).outcome).toMatchObject({ status: 'pending' })
      const asked = await onlyQuestion(assent)
      await assent.answer(asked.id, localPage, { action: 'accept', ...(content && { content }) })
      expect((await client.call('work')).text).toBe(end)
      expect(runs()).toBe(1)
      expect((await client.call('work')).outcome).toMatchObject({ status: 'pending' })
    },
  )

  test('a no in the inbox ends the next call, and the one after it asks again', async () => {
    const { assent, connect } = await waiting(kinds[0]?.[1] as never)
    const client = await connect(how, { elicitation: undefined })
    await client.call('work')
    await assent.answer((await onlyQuestion(assent)).id, localPage, { action: 'decline' })
    expect((await client.call('work')).outcome).toMatchObject({ status: 'declined' })
    expect((await client.call('work')).outcome).toMatchObject({ status: 'pending' })
  })

  test('an answer while the call is held lets it go on', async () => {
    const { assent, connect } = await waiting(kinds[0]?.[1] as never, { clocks: { hold: '5m' } })
    const client = await connect(how, { elicitation: undefined })
    const asked = nextAsked(assent)
    const calling = client.call('work')
    await assent.answer((await asked).id, localPage, { action: 'accept', content: { branch: 'main' } })
    expect((await calling).text).toBe('main')
  })

  test('another call, or another client, does not get the answer', async () => {
    const { assent, connect, runs } = await waiting(kinds[0]?.[1] as never)
    const client = await connect(how, { elicitation: undefined })
    await client.call('work')
    await assent.answer((await onlyQuestion(assent)).id, localPage, { action: 'accept', content: { branch: 'main' } })
    const other = await connect(how, { elicitation: undefined, info: { name: 'another', version: '1' } })
    expect((await other.call('work')).outcome).toMatchObject({ status: 'pending' })
    expect((await client.call('work', { more: 1 })).outcome).toMatchObject({ status: 'pending' })
    expect(runs()).toBe(0)
  })
})

test('without the setting, a client that cannot be asked is told so', async () => {
  const { connect } = await waiting(kinds[0]?.[1] as never, { fallback: 'deny' })
  const client = await connect(connect11, { elicitation: undefined })
  expect((await client.call('work')).outcome).toMatchObject({ status: 'cannot-ask' })
})

const copilot = { name: 'copilot-cli', version: '1.0.102' }
const unseen: readonly [string, Connect][] = [
  ['2025', connect11],
  ['2026', connect26],
]

describe.each(unseen)('a client of %s that answers plain questions by itself', (_, how) => {
  test.each<Reply['action']>(['decline', 'cancel'])('with %s: the form waits in the inbox', async (action) => {
    const { assent, connect } = await waiting(kinds[0]?.[1] as never)
    const client = await connect(how, { info: copilot })
    client.answers(() => ({ action }))
    expect((await client.call('work')).outcome).toMatchObject({ status: 'pending' })
    expect(await audited(assent, 'answered-unseen')).toMatchObject([{ data: { action } }])
    await assent.answer((await onlyQuestion(assent)).id, localPage, { action: 'accept', content: { branch: 'main' } })
    expect((await client.call('work')).text).toBe('main')
  })

  test('with an accept: it counts, as a hook of its user may have given it', async () => {
    const { connect } = await waiting(kinds[0]?.[1] as never)
    const client = await connect(how, { info: copilot })
    client.answers(() => ({ action: 'accept', content: { branch: 'hooked' } }))
    expect((await client.call('work')).text).toBe('hooked')
  })

  test('with decline where there is no inbox: it is a no', async () => {
    const { connect } = await waiting(kinds[0]?.[1] as never, { fallback: 'deny' })
    const client = await connect(how, { info: copilot })
    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('work')).outcome).toMatchObject({ status: 'declined' })
  })

  test.each<Reply['action']>(['accept', 'decline'])(
    'with %s to a page: nobody was sent there, and it waits',
    async (action) => {
      const { assent, connect } = await waiting(kinds[1]?.[1] as never)
      const client = await connect(how, { info: copilot })
      client.answers(() => ({ action }))
      expect((await client.call('work')).text).toContain('https://example.com/')
      await assent.answer((await onlyQuestion(assent)).id, localPage, { action: 'accept' })
      expect((await client.call('work')).text).toBe('accept')
    },
  )
})

describe.each(clients)('a client of %s that gives a call up', (_, how) => {
  test.each(kinds)(
    'leaves %s open, and the same call goes on with its answer',
    async (...[what, run, content, end]) => {
      const { assent, connect, ended } = await waiting(run)
      const isPushed = what === 'a form' && how !== connect26
      const client = await connect(how, { elicitation: isPushed ? { form: {} } : { url: {} } })
      const shown = promised()
      const asked = nextAsked(assent)
      client.answers(() => {
        shown.keep()
        if (how === connect26) throw new Error('gave up')
        return new Promise(() => {})
      })
      const away = new AbortController()
      const calling = expect(client.call('work', {}, { signal: away.signal })).rejects.toThrow()
      await shown.promise
      away.abort()
      await calling
      // The server of a 2025 client waits during the call. Nothing waits for a 2026 client between two requests.
      if (how !== connect26) await ended
      const { id } = await asked
      expect((await assent.get(id))?.state.kind).toBe('open')
      await assent.answer(id, localPage, { action: 'accept', ...(content && { content }) })
      client.answers(() => {
        throw new Error('asked again')
      })
      expect((await client.call('work')).text).toBe(end)
    },
  )
})

test('one yes on a page, waited for by two calls at once, counts for one of them', async () => {
  const { assent, connect, runs } = await waiting(async (ask) => {
    await ask.confirm('Really?', { answer: 'page' })
    return 'done'
  })
  const client = await connect(connect26)
  client.answers(() => ({ action: 'accept' }))
  const asked = nextAsked(assent)
  const both = Promise.all([client.call('work'), client.call('work')])
  await assent.answer((await asked).id, localPage, { action: 'accept' })
  const ends = await both
  expect(runs()).toBe(1)
  expect(ends.filter(({ text }) => text === 'done')).toHaveLength(1)
})
