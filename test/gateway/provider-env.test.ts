import { describe, expect, test } from 'vitest'
import { type AskedClient, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, program } from '../support/gateway/gateways.ts'
import { participantOf, until } from '../support/server/servers.ts'

const providers = { notes: { apiKey: true, title: 'Notes', env: 'NOTES_KEY' } } as const

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const whose = async (client: AskedClient) =>
  JSON.parse((await client.call('whose')).text) as { key: string; pid: number }

describe.each(['2025', '2026'])('a program of %s that gets a key in its environment', (era) => {
  test.each([
    ['2025', connect11],
    ['2026', connect26],
  ])('runs for each requester alone, with their own key, for clients of %s (O-09)', async (_, how) => {
    const { assent, connect, gateway } = await gated(
      { keyed: { ...program('keyed.ts', era), provider: 'notes' } },
      { withLogin: true, assentOptions: { providers, policy: { default: 'allow', fallback: 'inbox' } } as never },
    )
    const keep = (name: string, key: string) =>
      assent.connections.keepKey({ provider: 'notes', person: { participant: participantOf(name), groups: [] } }, key)
    const alice = await connect(how, { token: 'alice/desk', only: 'keyed' })
    // Without a key it would not start, so it is not tried.
    expect(await alice.listTools()).toMatchObject({ tools: [{ name: 'connect' }] })
    expect(gateway.upstreams()[0]?.state).toMatchObject({ kind: 'untried', restarts: 0 })

    await keep('alice', 'key-of-alice')
    await keep('bob', 'key-of-bob')
    const bob = await connect(how, { token: 'bob/desk', only: 'keyed' })
    const [hers, his] = await Promise.all([whose(alice), whose(bob)])
    expect([hers.key, his.key]).toEqual(['key-of-alice', 'key-of-bob'])
    expect(hers.pid).not.toBe(his.pid)
    expect((await whose(alice)).pid).toBe(hers.pid)
    expect(await alice.listTools()).toMatchObject({ tools: [{ name: 'whose' }] })
    expect(gateway.upstreams()[0]?.state.restarts).toBe(0)

    // Another key is another process, and the one with the old key ends.
    await keep('alice', 'another-of-alice')
    const after = await whose(alice)
    expect(after.key).toBe('another-of-alice')
    expect(after.pid).not.toBe(hers.pid)
    await until(() => !isAlive(hers.pid))
    expect(await whose(bob)).toEqual(his)

    await assent.connections.disconnect(participantOf('alice'), 'notes')
    await until(() => !isAlive(after.pid))
    expect(isAlive(his.pid)).toBe(true)
  })

  test('ends with the 2025 client that it ran for', async () => {
    const { assent, connect } = await gated(
      { keyed: { ...program('keyed.ts', era), provider: 'notes' } },
      { withLogin: true, assentOptions: { providers, policy: { default: 'allow', fallback: 'inbox' } } as never },
    )
    const person = { participant: participantOf('alice'), groups: [] }
    await assent.connections.keepKey({ provider: 'notes', person }, 'key-of-alice')
    const alice = await connect(connect11, { token: 'alice/desk', only: 'keyed' })
    const { pid } = await whose(alice)
    await alice.endSession()
    // A program of 2026 serves all that this person's clients ask, one after the other.
    if (era === '2025') await until(() => !isAlive(pid))
    else expect(isAlive(pid)).toBe(true)
  })
})
