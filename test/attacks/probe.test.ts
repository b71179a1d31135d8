import { expect, test } from 'vitest'
import { anAssent } from '../support/assents.ts'
import { askingServer } from './asking-server.ts'
import { send, stateIn, yesToAll } from './wire.ts'
test('probe', async () => {
  const assent = await anAssent()
  const server = await askingServer(assent)
  const r1 = await send(server.url, {})
  console.log(r1.status, r1.text)
  const s1 = stateIn(r1)
  const r2 = await send(server.url, { state: s1, responses: yesToAll })
  console.log(r2.status, r2.text)
  for (const state of ['', null, 1, true, [], {}, s1 + 'A', 'x'.repeat(300_000), 'x'.repeat(3_900_000), 'x'.repeat(5_000_000)]) {
    const r = await send(server.url, { state, responses: yesToAll })
    console.log(JSON.stringify(state).slice(0, 20), r.status, r.text.slice(0, 300))
  }
  for (const depth of [1000, 100000, 1000000]) {
    const body = '['.repeat(depth) + ']'.repeat(depth)
    const deep = JSON.parse(body)
    try {
    const r = await send(server.url, { state: '@@', responses: yesToAll })
    } catch {}
  }
  const t = Date.now()
  await Promise.all(Array.from({ length: 16 }, async (_, i) => { for (let n = 0; n < 60; n++) await send(server.url, { state: s1 + n, responses: yesToAll }) }))
  console.log('960 in', Date.now() - t)
  const rc = await send(server.url, { name: 'wipe-on-page' })
  console.log(rc.text)
  console.log(server.errors)
  await server.close()
})
