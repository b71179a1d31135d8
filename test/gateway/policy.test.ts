import { describe, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { addNewTools } from '../support/gateway/new-tools.ts'
import { addOldTools, type Shared } from '../support/gateway/old-tools.ts'

const shared = (): Shared => ({ done: new Set(), runs: [] })
const policy = (...rules: object[]) => ({
  assentOptions: { policy: { default: 'ask', fallback: 'inbox', rules } as never },
})
const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const
const servers = {
  '2025': (all: Shared) => oldServer((server) => addOldTools(server, all)),
  '2026': (all: Shared) => newServer((server) => addNewTools(server, all)),
}

describe.each(Object.entries(servers))('in front of an upstream of %s', (_era, start) => {
  describe.each(clients)('for a client of %s', (_, how) => {
    const meet = async (...rules: object[]) => {
      const all = shared()
      const { connect, assent } = await gated({ up: { url: await start(all) } }, policy(...rules))
      return { client: await connect(how, { only: 'up' }), assent, ...all }
    }

    test('a call that policy allows runs unasked, and one that it denies never does', async () => {
      const { client, runs } = await meet(
        { tool: 'echo', when: "args.text == 'bad'", decide: 'deny' },
        { tool: 'echo', decide: 'allow' },
      )
      expect((await client.call('echo', { text: 'good' })).text).toBe('good')
      expect((await client.call('echo', { text: 'bad' })).outcome).toMatchObject({ status: 'denied' })
      expect(client.asked).toEqual([])
      expect(runs).toEqual(['good'])
    })

    test('a yes lets one call run and a no none, and the question is not an upstream’s', async () => {
      const { client, runs } = await meet()
      client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
      const first = await client.call('echo', { text: 'one' })
      expect([first.text, runs]).toEqual(['one', ['one']])
      client.answers(() => ({ action: 'decline' }))
      expect((await client.call('echo', { text: 'one' })).outcome).toMatchObject({
        status: 'denied',
        reason: 'declined',
      })
      expect(runs).toEqual(['one'])
      expect(client.asked).toHaveLength(2)
      expect(client.asked.every(({ message }) => !message.startsWith('['))).toBe(true)
    })

    test('after the yes the upstream asks in its own name, and the call goes on', async () => {
      const { client } = await meet()
      client.answers(({ message }) => ({
        action: 'accept',
        content: message.startsWith('[up]') ? { branch: 'main' } : { choice: 'allow_once' },
      }))
      expect((await client.call('build')).text).toBe('built main')
      expect(client.asked.map(({ message }) => message.startsWith('[up]'))).toEqual([false, true])
    })
  })
})

test('a state that is sent twice after an approval runs nothing twice (M26-11)', async () => {
  const all = shared()
  for (const start of Object.values(servers)) {
    const { url } = await gated({ up: { url: await start(all) } }, policy())
    const first = await rawCall(url, { name: 'up__build' })
    const approval = Object.keys(first.result?.inputRequests ?? {})[0] as string
    const second = await rawCall(url, {
      name: 'up__build',
      requestState: first.result?.requestState,
      inputResponses: { [approval]: { action: 'accept', content: { choice: 'allow_once' } } },
    })
    const [key] = Object.keys(second.result?.inputRequests ?? {})
    expect(key).toBeDefined()
    const retry = {
      name: 'up__build',
      requestState: second.result?.requestState,
      inputResponses: { [key as string]: { action: 'accept', content: { branch: 'main' } } },
    }
    const twice = await Promise.all([rawCall(url, retry), rawCall(url, retry)])
    const texts = twice.map(({ result }) => result?.content?.[0]?.text)
    expect(texts.filter((text) => text === 'built main')).toHaveLength(1)
    const third = await rawCall(url, retry)
    expect(third.result).toMatchObject({ isError: true })
  }
})

test.each(clients)('what the approver edited is what runs, and a lasting yes asks no more, on %s', async (_, how) => {
  const all = shared()
  const { connect } = await gated(
    { up: await askingUpstreams['2026 over HTTP'](all) },
    policy({ tool: 'echo', decide: 'ask', editable: ['text'] }),
  )
  const client = await connect(how, { only: 'up' })
  client.answers(() => ({ action: 'accept', content: { choice: 'allow_once', edit_text: 'edited' } }))
  const { text } = await client.call('echo', { text: 'as asked' })
  expect(text).toContain('edited')
  expect(all.runs).toEqual(['edited'])
  client.answers(() => ({ action: 'accept', content: { choice: 'always_allow/tool/hour/this', edit_text: 'again' } }))
  expect((await client.call('echo', { text: 'again' })).text).toBe('again')
  client.answers(() => ({ action: 'decline' }))
  expect((await client.call('echo', { text: 'unasked' })).text).toBe('unasked')
  expect(client.asked).toHaveLength(2)
})
