import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { rawCall } from '../support/asking/asking-raw.ts'
import { gated } from '../support/gateway/gateways.ts'
import { until } from '../support/server/servers.ts'
import { programOf } from './upstream/upstreams.ts'

const yes = { action: 'accept', content: { name: 'Ada' } }

test('a program of 2026 that is killed between two rounds is started again, and the retry goes through (T26-04)', async () => {
  const { url } = await gated({ up: programOf('new-stdio') })
  const pid = async () => (await rawCall(url, { name: 'up__pid' })).result?.content?.[0]?.text
  const before = await pid()
  const first = await rawCall(url, { name: 'up__ask' })
  process.kill(Number(before), 'SIGKILL')
  const [key = ''] = Object.keys(first.result?.inputRequests ?? {})
  const retry = { name: 'up__ask', requestState: first.result?.requestState, inputResponses: { [key]: yes } }
  await until(async () => (await rawCall(url, retry)).result?.content?.[0]?.text === 'hello Ada')
  expect(await pid()).not.toBe(before)
})

test('a program that is started again is listened to again, and heard by the name of the subscription alone (T26-04, L26-03)', async () => {
  const { url } = await gated({ up: programOf('listening-stdio') })
  const mode = { pin: '2026-07-28' as const }
  const client = new Client({ name: 'hearing', version: '1' }, { versionNegotiation: { mode } })
  let heard = 0
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard += 1
  })
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(() => client.close())
  await client.listen({ toolsListChanged: true })
  const call = async (name: string, given: object = {}) =>
    (await rawCall(url, { name: `up__${name}`, arguments: { ...given } })).result?.content?.[0]?.text
  const isListenedTo = () => until(async () => Number(await call('listens')) > 0)

  await isListenedTo()
  for (const by of ['none', 'another', 987_654]) await call('tell', { by })
  await call('tell', { by: 'own' })
  await until(() => heard > 0)
  expect(heard).toBe(1)

  process.kill(Number(await call('pid')), 'SIGKILL')
  await isListenedTo()
  await call('tell', { by: 'own' })
  await until(() => heard > 1)
  expect(heard).toBe(2)
})
