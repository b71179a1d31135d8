import { describe, expect, test } from 'vitest'
import { echoServer, endpoint } from '../../support/server/endpoint.ts'
import { autoClient, clients, legacyClient, oldClient, pinnedClient } from './clients.ts'

describe('one url serves every client', () => {
  test.each(clients)('$name speaks $revision and calls a tool (V26-05)', async ({ connect, revision }) => {
    const { url } = await endpoint(() => echoServer())
    const client = await connect(url)

    expect(client.revision()).toBe(revision)
    expect(await client.call('echo', { text: 'hi' })).toBe('hi')
  })

  test('a 2025 client can be asked in the middle of its call (H11-04, H11-05)', async () => {
    const { url } = await endpoint(() => echoServer())
    for (const connect of [legacyClient, oldClient]) {
      expect(await (await connect(url)).call('greet')).toBe('Hello Ada')
    }
  })

  test('both eras, interleaved on one url, do not disturb each other (V26-05)', async () => {
    const { url, serving } = await endpoint(() => echoServer())
    const connected = await Promise.all(
      [oldClient, legacyClient, autoClient, pinnedClient].map((connect) => connect(url)),
    )

    const said = await Promise.all(
      Array.from({ length: 80 }, (_, n) => connected[n % 4]?.call('echo', { text: `${n}` })),
    )
    expect(said).toEqual(Array.from({ length: 80 }, (_, n) => `${n}`))
    expect(serving.sessions).toBe(2)
  })

  test('a 2026 request neither needs nor gets a session (H26-16)', async () => {
    const { url, serving } = await endpoint(() => echoServer())
    const client = await pinnedClient(url)
    await client.call('echo', { text: 'hi' })

    expect(client.sessionId()).toBeUndefined()
    expect(serving.sessions).toBe(0)
  })
})
