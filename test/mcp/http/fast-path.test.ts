import { expect, test } from 'vitest'
import { echoServer, endpoint, modernCall, send } from '../../support/server/endpoint.ts'

test('a fast path that breaks is reported, and answered with an error: never with silence', async () => {
  const errors: unknown[] = []
  const broken = new Error('broken')
  const { url } = await endpoint(
    () => echoServer(),
    () => ({ fastPath: () => Promise.reject(broken), onError: (error) => void errors.push(error) }),
  )
  const answer = await send(url, modernCall('echo', { text: 'hi' }))
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ error: { code: -32_603 } })
  expect(errors).toEqual([broken])
})

test('what the fast path does not handle is served as if it was not there', async () => {
  const { url } = await endpoint(
    () => echoServer(),
    () => ({ fastPath: async () => ({ kind: 'not-handled' }) }),
  )
  expect((await send(url, modernCall('echo', { text: 'hi' }))).status).toBe(200)
})
