import { describe, expect, test } from 'vitest'
import { type AskedClient, connect06, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { until } from '../support/server/servers.ts'

const clients = [
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2026-07-28', connect26],
] as const
const knowPages = clients.filter(([name]) => name !== '2025-06-18')

const branches = (client: AskedClient) =>
  client.answers(({ message }) => ({
    action: 'accept',
    content: { branch: /First/.test(message) ? 'one' : /Second/.test(message) ? 'two' : 'main' },
  }))

describe.each(Object.entries(askingUpstreams))('an upstream of %s', (era, start) => {
  test.each(clients)('is called by a client of %s, joined and alone', async (_, how) => {
    const { connect } = await gated({ up: await start() })
    const client = await connect(how)
    expect((await client.call('up__echo', { text: 'hello' })).text).toBe('hello')
    const alone = await connect(how, { only: 'up' })
    expect((await alone.call('echo', { text: 'hello' })).text).toBe('hello')
  })

  test.each(clients)(
    'asks a client of %s by forms, in its own name (E11-04): one, one after the other, two at once',
    async (_, how) => {
      const { connect } = await gated({ up: await start() })
      const client = await connect(how, { only: 'up' })
      branches(client)
      expect((await client.call('build')).text).toBe('built main')
      expect((await client.call('twice')).text).toBe('one two')
      expect((await client.call('both')).text).toBe('one two')
      expect(client.asked.map(({ message }) => message).sort()).toEqual(
        ['[up] First?', '[up] First?', '[up] Second?', '[up] Second?', '[up] Which branch?'].sort(),
      )
    },
  )

  test.each(clients)('hears of the no of a client of %s, in a prompt and in a resource too', async (_, how) => {
    const { connect } = await gated({ up: await start() })
    const client = await connect(how)
    for (const action of ['decline', 'cancel'] as const) {
      client.answers(() => ({ action }))
      expect((await client.call('up__build')).text).toBe(`built ${action}`)
      expect(await client.prompt('up__greet')).toBe(`hello ${action}`)
      expect(await client.read('note://one')).toBe(`note on ${action}`)
    }
    branches(client)
    expect(await client.prompt('up__greet')).toBe('hello main')
    expect(await client.read('note://one')).toBe('note on main')
  })

  test.each(knowPages)('sends the person of a client of %s to a page (E11-20)', async (_, how) => {
    const { connect } = await gated({ up: await start() })
    const client = await connect(how, { only: 'up' })
    const other = await connect(how, { only: 'up' })
    client.answers(() => ({ action: 'accept' }))
    expect((await client.call('open')).text).toBe('opened accept')
    expect(client.asked).toMatchObject([{ mode: 'url', message: '[up] Sign in', url: 'https://example.com/sign-in' }])
    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('open')).text).toBe('opened decline')
    if (era.startsWith('2025') && client.revision === '2025-11-25') {
      await until(() => client.completed.length >= 2)
      expect(new Set(client.completed)).toEqual(new Set(['page-of-open']))
    }
    expect(other.completed).toEqual([])
  })

  test.each(knowPages)('wants a page visited first, which a client of %s does (B26-05, E11-20)', async (_, how) => {
    const { connect } = await gated({ up: await start() })
    const client = await connect(how, { only: 'up' })
    const other = await connect(how, { only: 'up' })
    await other.listTools()
    client.answers(() => ({ action: 'accept' }))
    if (client.revision === '2025-11-25' && era.startsWith('2025')) {
      const error = await client.call('visit').catch((error) => error)
      expect(error).toMatchObject({
        code: -32_042,
        data: {
          elicitations: [
            {
              mode: 'url',
              message: '[up] Pay first',
              url: 'https://example.com/pay',
              elicitationId: 'page-of-visit',
            },
          ],
        },
      })
      await until(() => client.completed.includes('page-of-visit'))
      expect(client.completed).toEqual(['page-of-visit'])
    }
    expect((await client.call('visit')).text).toBe('visited')
    expect(other.completed).toEqual([])
  })
})

describe('a 2026 client', () => {
  test("never sees the state of a 2026 upstream: it is sealed inside the gateway's", async () => {
    const { url } = await gated({ up: await askingUpstreams['2026 over HTTP']() })
    const first = await rawCall(url, { name: 'up__visit' })
    expect(first.result).toMatchObject({ resultType: 'input_required' })
    expect(JSON.stringify(first)).not.toContain('waiting')
    const key = Object.keys(first.result?.inputRequests ?? {})[0] as string
    const second = await rawCall(url, {
      name: 'up__visit',
      inputResponses: { [key]: { action: 'accept' } },
      requestState: first.result?.requestState,
    })
    expect(JSON.stringify(second)).not.toContain('waiting')
    expect(second.result).toMatchObject({ resultType: 'input_required' })
  })

  test.each([
    ['copilot-cli', true],
    ['some-client', false],
  ])('named %s gets an id with the page of a server only if it needs one', async (name, isNamed) => {
    const { url } = await gated({ up: await askingUpstreams['2026 over HTTP']() })
    const { result } = await rawCall(url, { name: 'up__open', clientInfo: { name, version: '1' } })
    const [asked] = Object.values(result?.inputRequests ?? {})
    expect(asked).toMatchObject({ params: { mode: 'url', url: 'https://example.com/sign-in' } })
    expect('elicitationId' in (asked as { params: object }).params).toBe(isNamed)
  })
})
