import { describe, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { allowOnce, choicesIn, filled } from '../support/server/approving.ts'

const accept = { action: 'accept', content: { branch: 'main' } } as const
const once = [['call-started', 'call-finished done']]

describe.each(['2025 over HTTP', '2026 over HTTP'] as const)('of an upstream of %s', (up) => {
  describe.each([
    ['2025-11-25', connect11],
    ['2026-07-28', connect26],
  ])('a call of a client of %s', (_, how) => {
    test('that policy allows and that asks two forms is started once and finished once', async () => {
      const { assent, connect } = await gated({ up: await askingUpstreams[up]() })
      const client = await connect(how)
      client.answers(() => accept)
      expect((await client.call('up__twice')).text).toBe('main main')
      expect(client.asked).toHaveLength(2)
      expect(await callsIn(assent)).toEqual(once)
    })

    test('that a lasting yes allows and that asks a form is started once and finished once', async () => {
      const { assent, connect } = await gated(
        { up: await askingUpstreams[up]() },
        { assentOptions: { policy: { default: 'allow', rules: [{ tool: 'build', decide: 'ask' }] } } },
      )
      const client = await connect(how)
      client.answers((asked) => {
        if (asked.requestedSchema?.properties.choice === undefined) return accept
        return filled(asked, { choice: choicesIn(asked).find((one) => one.startsWith('always_allow')) as string })
      })
      expect((await client.call('up__build')).text).toBe('built main')
      const before = (await callsIn(assent)).length
      client.asked.length = 0
      expect((await client.call('up__build')).text).toBe('built main')
      expect(client.asked.map(({ message }) => message)).toEqual(['[up] Which branch?'])
      const calls = await callsIn(assent)
      expect(calls).toHaveLength(before + 1)
      expect(calls).toEqual([...once, ...once])
    })

    test('that a person approves once and that asks a form is started once and finished once', async () => {
      const { assent, connect } = await gated(
        { up: await askingUpstreams[up]() },
        { assentOptions: { policy: { default: 'allow', rules: [{ tool: 'build', decide: 'ask' }] } } },
      )
      const client = await connect(how)
      client.answers((asked) => (asked.requestedSchema?.properties.choice === undefined ? accept : allowOnce(asked)))
      expect((await client.call('up__build')).text).toBe('built main')
      expect(await callsIn(assent)).toEqual(once)
    })
  })
})

test('a state that is sent twice runs the call twice, and the audit has both starts and both ends', async () => {
  const { assent, url } = await gated({ up: await askingUpstreams['2026 over HTTP']() })
  const first = await rawCall(url, { name: 'up__build' })
  const [key] = Object.keys(first.result?.inputRequests ?? {}) as [string]
  const retry = () =>
    rawCall(url, { name: 'up__build', inputResponses: { [key]: accept }, requestState: first.result?.requestState })
  for (let times = 0; times < 2; times += 1)
    expect((await retry()).result?.content).toEqual([{ type: 'text', text: 'built main' }])
  expect(await callsIn(assent)).toEqual([[...(once[0] as string[]), ...(once[0] as string[])]])
})
