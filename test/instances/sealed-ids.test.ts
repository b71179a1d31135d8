import { expect, onTestFinished, test } from 'vitest'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { serverStores } from '../support/stores.ts'
import { balanced } from './balanced.ts'
import { answerTo, beginSession, callTool, endSession, listTools } from './raw-session.ts'

const redis = serverStores.redis as () => Promise<string>
const form = { elicitation: { form: {} } }

async function deployment(store: string, keys: string) {
  return gated({ up: await askingUpstreams['2026 over HTTP']() }, { assentOptions: { store, keys } })
}

test('attack: the id of a session of another deployment, which has other keys, opens nothing', async () => {
  const [one, other] = [
    await deployment(await redis(), formatKey(makeKey())),
    await deployment(await redis(), formatKey(makeKey())),
  ]
  const session = await beginSession({ url: one.url }, form)
  expect(await listTools({ url: one.url, session })).toBe(200)
  expect(await listTools({ url: other.url, session })).toBe(404)
  expect(await endSession({ url: other.url, session })).toBe(404)
  expect(await listTools({ url: one.url, session })).toBe(200)
})

test('a session outlives the rotation of keys for as long as its key is kept, and no longer', async () => {
  const store = await redis()
  const [old, next] = [formatKey(makeKey()), formatKey(makeKey())]
  const before = await deployment(store, old)
  const session = await beginSession({ url: before.url }, form)
  const rotated = await deployment(store, `${next},${old}`)
  expect(await listTools({ url: rotated.url, session })).toBe(200)
  // The audit is sealed with the first key too, so this one begins with another store.
  const dropped = await deployment(await redis(), next)
  expect(await listTools({ url: dropped.url, session })).toBe(404)
})

test('attack: the id of a session that ended is used again after its row has gone, and when its time is over', async () => {
  const { instances } = await balanced(await redis(), { up: await askingUpstreams['2026 over HTTP']() })
  const [a, b] = instances
  const ended = await beginSession({ url: a.url }, form)
  const forgotten = await beginSession({ url: a.url }, form)
  expect(await endSession({ url: b.url, session: ended })).toBe(200)
  const { clock } = a.assent
  const now = clock.now.bind(clock)
  const week = 7 * 24 * 3_600_000
  const at = async (ms: number) => {
    for (const one of instances) Object.assign(one.assent.clock, { now: () => new Date(now().getTime() + ms) })
    await b.assent.tidy()
  }
  onTestFinished(() => void Object.assign(clock, { now }))
  await at(week - 60_000)
  expect(await listTools({ url: b.url, session: ended })).toBe(404)
  await at(week + 60_000)
  for (const session of [ended, forgotten]) expect(await listTools({ url: b.url, session })).toBe(404)
})

test('attack: two answers to one question reach two instances at once; the first counts, and the server gets one', async () => {
  const { instances } = await balanced(await redis(), { up: await askingUpstreams['2025 over HTTP']() })
  const [a, b, c] = instances
  const session = await beginSession({ url: a.url }, form)
  const call = await callTool({ url: a.url, session }, 5, { name: 'up__build', arguments: {} })
  const { id } = await call.next()
  const say = (url: URL, branch: string) =>
    answerTo({ url, session }, String(id), { action: 'accept', content: { branch } })
  expect(await Promise.all([say(b.url, 'left'), say(c.url, 'right')])).toEqual([202, 202])
  const { result } = await call.next()
  expect(['built left', 'built right']).toContain(result?.content?.[0]?.text)
  await expect(call.next()).rejects.toThrow('The stream ended')
})

test('attack: DELETE at one instance and a call at another at the same time; afterwards nothing is served anywhere', async () => {
  const { instances } = await balanced(await redis(), { up: await askingUpstreams['2026 over HTTP']() })
  const [a, b, c] = instances
  const session = await beginSession({ url: a.url }, form)
  const [ended, ...used] = await Promise.all([
    endSession({ url: a.url, session }),
    ...[b, c, b, c].map(({ url }) => listTools({ url, session })),
  ])
  expect(ended).toBe(200)
  for (const status of used) expect([200, 404]).toContain(status)
  for (const { url, gateway } of instances) {
    await expect.poll(() => listTools({ url, session })).toBe(404)
    expect(gateway.sessions).toBe(0)
  }
})

test('attack: ids that name an instance, made up by a client, reach nobody’s mailbox', async () => {
  const { instances } = await balanced(await redis(), { up: await askingUpstreams['2025 over HTTP']() })
  const [a, b] = instances
  const session = await beginSession({ url: a.url }, form)
  const call = await callTool({ url: a.url, session }, 5, { name: 'up__build', arguments: {} })
  const { id } = await call.next()
  const mail: unknown[] = []
  const { put } = b.assent.store.mailbox
  Object.assign(b.assent.store.mailbox, {
    put: (...given: Parameters<typeof put>) => {
      mail.push(given[0].to)
      return put.apply(b.assent.store.mailbox, given)
    },
  })
  const forged = [
    `${a.gateway.instance}~0`,
    `["${a.gateway.instance}",0]`,
    `${String(id).slice(0, -2)}AA`,
    '0',
    `${id}~`,
  ]
  for (const made of forged) {
    await answerTo({ url: b.url, session }, made, { action: 'accept', content: { branch: 'forged' } })
  }
  expect(mail.filter((to) => to === a.gateway.instance)).toEqual([])
  await answerTo({ url: b.url, session }, String(id), { action: 'accept', content: { branch: 'true' } })
  expect((await call.next()).result?.content?.[0]?.text).toBe('built true')
})
