import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { askingServer } from '../support/server/asking-server.ts'
import { outcomeOf, said, send, stateIn, yesToAll } from '../support/server/tools-on-wire.ts'
import { sharedStores } from '../support/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { serverProcess } from './server-processes.ts'

const answer = { 'name-1': { action: 'accept', content: { name: 'Ada' } } }

test('round 2 on another process succeeds, with no memory and no store in common (M26-22, E26-07)', async () => {
  const [one, other] = await Promise.all([serverProcess('memory:'), serverProcess('memory:')])
  let state = stateIn(await send(one.url, { name: 'rename' }))
  for (let n = 1; n <= 5; n++) {
    const responses = { [`name-${n}`]: { action: 'accept', content: { name: `n${n}` } } }
    state = stateIn(await send((n % 2 === 0 ? one : other).url, { name: 'rename', state, responses }))
  }
  const last = { 'name-6': { action: 'accept', content: { name: 'n6' } } }
  expect(said(await send(one.url, { name: 'rename', state, responses: last }))).toBe('test is now n1 n2 n3 n4 n5 n6')
})

test.each(Object.entries(sharedStores))(
  'two processes on one %s store: a yes sent to both at once runs once, and its state is still bound (M26-08, M26-11, M26-22)',
  async (_, address) => {
    const store = await address()
    const both = await Promise.all([serverProcess(store), serverProcess(store)])
    const [one, other] = both
    const first = stateIn(await send(one.url, {}))
    const second = stateIn(await send(other.url, { state: first, responses: yesToAll }))
    for (const { url } of both) {
      const stolen = await send(url, { state: second, responses: yesToAll, token: 'bob.desk' })
      expect(stolen.error?.code).toBe(-32602)
    }

    const copies = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other))
    const replies = await Promise.all(copies.map(({ url }) => send(url, { state: second, responses: yesToAll })))
    expect(replies.filter((reply) => said(reply).includes('deployed'))).toHaveLength(1)
    expect(replies.filter((reply) => outcomeOf(reply) === 'already-run')).toHaveLength(39)
    expect([...(await one.deeds()), ...(await other.deeds())]).toEqual(['deploy OPS-1 to test'])
  },
)

test('a process that is killed between two rounds is not missed (M26-22, T26-04)', async () => {
  const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
  const one = await serverProcess(store)
  const state = stateIn(await send(one.url, {}))
  await one.kill()
  const other = await serverProcess(store)
  const next = stateIn(await send(other.url, { state, responses: yesToAll }))
  expect(said(await send(other.url, { state: next, responses: yesToAll }))).toContain('deployed')
})

test('keys that rotate between two rounds: the old state opens while the old key is kept, and not after (M26-07)', async () => {
  const fresh = formatKey(makeKey())
  const [before, during, after] = await Promise.all(
    [testKeys, `${fresh},${testKeys}`, fresh].map(async (keys) => {
      const server = await askingServer(await anAssent({ keys }))
      onTestFinished(() => server.close())
      return server.url
    }),
  )
  const state = stateIn(await send(before as URL, { name: 'rename' }))
  const rotated = stateIn(await send(during as URL, { name: 'rename', state, responses: answer }))
  expect(rotated.split('~')[0]).toBe(fresh.split(':')[0])
  expect((await send(after as URL, { name: 'rename', state, responses: answer })).error?.code).toBe(-32602)
  expect((await send(after as URL, { name: 'rename', state: rotated })).result.inputRequests).toHaveProperty('name-2')
  expect((await send(before as URL, { name: 'rename', state: rotated })).error?.code).toBe(-32602)
})
