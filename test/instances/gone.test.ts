import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { buildPackage } from '../support/build.ts'
import { assent, ended } from '../support/cli/cli.ts'
import { askingUpstreams } from '../support/gateway/gateways.ts'
import { serverStores } from '../support/stores.ts'
import { threeInstances } from '../support/walks/instances.ts'
import { anUpstream } from '../support/walks/killing.ts'
import { balanced } from './balanced.ts'

beforeAll(buildPackage)

const branch = { action: 'accept', content: { branch: 'main' } }

test.each(Object.entries(serverStores))(
  'a retry of a call whose instance has stopped is told so at once, and the call is not made again, on %s',
  async (_, freshStore) => {
    const shared = { done: new Set<string>(), runs: [] as string[] }
    const { instances } = await balanced(await freshStore(), { up: await askingUpstreams['2025 over HTTP'](shared) })
    const [a, b, c] = instances
    const call = { name: 'up__build', arguments: {} }
    const asked = await rawCall(a.url, call)
    const [key = ''] = Object.keys(asked.result?.inputRequests ?? {})
    const retry = { ...call, requestState: asked.result?.requestState, inputResponses: { [key]: branch } }
    await a.gateway.close()
    const began = Date.now()
    for (const { url } of [b, c]) {
      const { result } = await rawCall(url, retry)
      expect(result?.content?.[0]?.text).toMatch(/is gone, and nothing is known of its end/)
      expect(result?.isError).toBe(true)
    }
    expect(Date.now() - began).toBeLessThan(5_000)
  },
)

test.each(Object.entries(serverStores))(
  'asked at one instance, answered at another, and retried at a third: the reply is given once, on %s',
  async (_, freshStore) => {
    const { instances } = await balanced(await freshStore(), { up: await askingUpstreams['2025 over HTTP']() })
    const [a, b, c] = instances
    const call = { name: 'up__build', arguments: {} }
    const asked = await rawCall(a.url, call)
    const [key = ''] = Object.keys(asked.result?.inputRequests ?? {})
    const retry = { ...call, requestState: asked.result?.requestState, inputResponses: { [key]: branch } }
    const first = await rawCall(b.url, retry)
    expect(first.result?.content?.[0]?.text).toBe('built main')
    // The call ended with its reply, so whoever comes again learns that it is over.
    await expect.poll(() => a.gateway.parked).toBe(0)
    const again = await rawCall(c.url, retry)
    expect(again.result?.content?.[0]?.text).not.toBe('built main')
  },
)

test('a pause at one instance holds at all', async () => {
  const { instances } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2026 over HTTP'](),
  })
  const [a, b, c] = instances
  await a.assent.approvals.pause(localParticipant)
  for (const { url } of [b, c]) {
    const { result } = await rawCall(url, { name: 'up__build', arguments: {} })
    expect(result?.isError).toBe(true)
    expect(result?.content?.[0]?.text).toMatch(/pause/i)
  }
})

test('operators see who is there and whose clock is wrong, and an instance that stops says so first', async () => {
  const up = await anUpstream('2026')
  const instances = await threeInstances(up.url, { settings: 'clocks: { drain: 2s }\n' })
  const { right, early, file } = instances
  const readyz = async () => {
    const response = await fetch(`${right.origin}/readyz`)
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) } as {
      status: unknown
      instances: { isThis?: boolean; clockAheadMs: number }[]
      warnings: string[]
      problems?: string[]
    }
  }
  await expect.poll(async () => (await readyz()).instances.length, { timeout: 10_000 }).toBe(3)
  const shown = await readyz()
  expect(shown.instances.filter(({ isThis }) => isThis)).toHaveLength(1)
  expect(shown.warnings[0]).toMatch(/^The clocks of the instances \w+ and \w+ are 1\d{3} s apart\./)
  const { out } = await assent(['doctor', '--config', file], right.env)
  expect(out).toMatch(/instances: The clocks/)
  early.child.kill('SIGKILL')
  const stopping = ended(right.child, 'SIGTERM')
  await sleep(700)
  expect((await fetch(`${right.origin}/healthz`)).status).toBe(200)
  const response = await fetch(`${right.origin}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('This instance is stopping')
  expect(await stopping).toBe(0)
}, 60_000)
