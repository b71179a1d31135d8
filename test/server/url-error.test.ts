import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { type AssentServerOptions, createAssentServer } from '../../src/server/index.ts'
import { connect11, connectOld } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { type AskingOptions, asking, listening, local, localPage, say, until } from '../support/server/servers.ts'

interface Required {
  code: number
  data: { elicitations: { mode: string; message: string; url: string; elicitationId: string }[] }
}

const required = (calling: Promise<unknown>): Promise<Required> =>
  calling.then(
    (result) => Promise.reject(new Error(`no error: ${JSON.stringify(result)}`)),
    (error: Required) => error,
  )

/** A server whose one tool needs two keys. */
const charging = (options: AskingOptions = {}) =>
  asking(
    (server, { plainTool }) => {
      server.registerTool(
        'charge',
        {},
        plainTool(async (ask) => {
          const keys = await Promise.all([
            ask.secret('Stripe', { type: 'api-key-stripe' }),
            ask.secret('Mail', { type: 'api-key-mail' }),
          ])
          return say(keys.map(({ length }) => length).join())
        }),
      )
      server.registerTool(
        'sign',
        {},
        plainTool(async (ask) => say((await ask.url('Sign', 'https://example.com/s')).action)),
      )
    },
    { urlBy: 'error', ...options },
  )

describe('-32042', () => {
  test.each([
    ['SDK 1.32', connectOld],
    ['SDK 2.4', connect11],
  ])('lists every page at once to %s; called again, the answers are there (E11-23, E11-24)', async (_name, how) => {
    const { assent, connect } = await charging()
    const client = await connect(how)
    const { code, data } = await required(client.call('charge'))
    expect(code).toBe(-32_042)
    expect(data.elicitations.map(({ message }) => message).sort()).toEqual(['Mail', 'Stripe'])
    const ids = data.elicitations.map(({ elicitationId }) => elicitationId)
    expect(new Set(ids).size).toBe(2)
    for (const { mode, url, elicitationId, message } of data.elicitations) {
      expect({ mode, url }).toEqual({ mode: 'url', url: expect.stringContaining(`/elicit/${elicitationId}/api-key`) })
      const content = { apiKey: message === 'Mail' ? 'four' : 'sixsix' }
      await assent.answer(elicitationId as never, localPage, { action: 'accept', content })
    }
    await until(() => client.completed.length === 2)
    expect([...client.completed].sort()).toEqual([...ids].sort())
    expect((await client.call('charge')).text).toBe('6,4')
    expect(client.asked).toEqual([])
  })

  test('called again before the answer, the same pages are named, and nothing is asked twice (E11-24)', async () => {
    const { assent, connect } = await charging()
    const client = await connect(connect11)
    const first = await required(client.call('charge'))
    const second = await required(client.call('charge'))
    expect(second.data.elicitations).toEqual(first.data.elicitations)
    expect(await assent.listOpen(localPage, 10)).toHaveLength(2)
  })

  test('once one is answered only the other is named', async () => {
    const { assent, connect } = await charging()
    const client = await connect(connect11)
    const { data } = await required(client.call('charge'))
    const mail = data.elicitations.find(({ message }) => message === 'Mail')
    await assent.answer(mail?.elicitationId as never, localPage, { action: 'accept', content: { apiKey: 'four' } })
    const second = await required(client.call('charge'))
    expect(second.data.elicitations.map(({ message }) => message)).toEqual(['Stripe'])
  })

  test('a page without a type is good for one call', async () => {
    const { assent, connect } = await charging()
    const client = await connect(connect11)
    const { data } = await required(client.call('sign'))
    await assent.answer(data.elicitations[0]?.elicitationId as never, localPage, { action: 'accept' })
    expect((await client.call('sign')).text).toBe('accept')
    expect((await required(client.call('sign'))).code).toBe(-32_042)
  })

  test('a no is told once; then the person may be asked again', async () => {
    const { assent, connect } = await charging()
    const client = await connect(connect11)
    const { data } = await required(client.call('sign'))
    await assent.answer(data.elicitations[0]?.elicitationId as never, localPage, { action: 'decline' })
    expect(await client.call('sign')).toMatchObject({ isError: true, outcome: { status: 'declined' } })
    expect((await required(client.call('sign'))).code).toBe(-32_042)
  })

  test('is told to nobody who did not declare url (E11-11, E11-23)', async () => {
    const { connect } = await charging()
    const client = await connect(connect11, { elicitation: {} })
    expect(await client.call('charge')).toMatchObject({ isError: true, outcome: { status: 'cannot-ask' } })
  })

  test('of two clients only the one that was asked hears that it is complete (E11-20)', async () => {
    const { assent, connect } = await charging()
    const [asker, other] = [await connect(connect11), await connect(connect11)]
    const { data } = await required(asker.call('sign'))
    const id = data.elicitations[0]?.elicitationId
    await assent.answer(id as never, localPage, { action: 'accept' })
    await until(() => asker.completed.length > 0)
    await other.request('ping', {})
    expect([asker.completed, other.completed]).toEqual([[id], []])
  })
})

describe('a client of 2025 without a session', () => {
  /** As the SDK serves by default: each request stands alone, and nobody declared anything. */
  async function stateless(options: Partial<AssentServerOptions> = {}) {
    const assent = await anAssent()
    const fallbacks: string[] = []
    assent.events.listen((news) => {
      if (news.kind === 'fallback') fallbacks.push(news.reason)
    })
    const { server, plainTool } = createAssentServer(assent, { name: 'tested', ...options })
    const handler = createMcpHandler(() => {
      const mcp = server({ name: 'tested', version: '1.0.0' })
      mcp.registerTool(
        'charge',
        {},
        plainTool(async (ask) => say(`${(await ask.secret('Stripe', { type: 'k' })).length}`)),
      )
      mcp.registerTool(
        'branch',
        {},
        plainTool(async (ask) => say(JSON.stringify(await ask.form('A?', { type: 'object', properties: {} })))),
      )
      return mcp
    })
    const url = await listening(toNodeHandler(handler) as never)
    return { assent, fallbacks, client: await connect11({ url }) }
  }

  test('cannot be asked, and is told so by a result; it is counted', async () => {
    const { client, fallbacks } = await stateless()
    for (const tool of ['charge', 'branch']) {
      expect(await client.call(tool)).toMatchObject({ isError: true, outcome: { status: 'cannot-ask' } })
    }
    expect(fallbacks).toEqual(['no-session', 'no-session'])
    await client.close()
  })

  test('is sent to pages by -32042 where the author assumes that it knows them (E11-23)', async () => {
    const { client, assent } = await stateless({ assumeUrl: true })
    const { code, data } = await required(client.call('charge'))
    expect(code).toBe(-32_042)
    const answer = { action: 'accept', content: { apiKey: 'four' } } as const
    await assent.answer(data.elicitations[0]?.elicitationId as never, localPage, answer)
    expect((await client.call('charge')).text).toBe('4')
    expect(await assent.find(local, 'k')).toMatchObject({ success: true })
    await client.close()
  })
})
