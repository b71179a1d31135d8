import { describe, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer } from '../support/gateway/gateways.ts'
import { say } from '../support/server/servers.ts'

const longName = `wipe_${'x'.repeat(70)}`

describe.each([
  ['2025', connect11],
  ['2026', connect26],
] as const)('a client of %s', (_, how) => {
  test.each(['enforce', 'watch'] as const)('in %s mode neither sees nor reaches a disabled tool', async (mode) => {
    const ran: string[] = []
    const url = await newServer((server) => {
      for (const name of ['read', 'wipe', longName]) {
        server.registerTool(name, {}, () => {
          ran.push(name)
          return say(name)
        })
      }
    })
    const policy = { mode, default: 'allow', fallback: 'inbox' } as const
    const { connect } = await gated(
      { up: { url, disabledTools: ['wipe', longName] } as never, other: { url } },
      { assentOptions: { policy } },
    )
    const one = await connect(how, { only: 'up' })
    const all = await connect(how)
    const namesIn = async (client: typeof one) =>
      ((await client.listTools()) as { tools: { name: string }[] }).tools.map(({ name }) => name)
    expect(await namesIn(one)).toEqual(['read'])
    const joined = await namesIn(all)
    expect(joined.slice(0, 3)).toEqual(['up__read', 'other__read', 'other__wipe'])
    const cut = joined[3] as string
    await expect(one.call('wipe')).rejects.toThrow(/wipe/)
    await expect(all.call('up__wipe')).rejects.toThrow(/wipe/)
    await expect(one.call(longName)).rejects.toThrow(/wipe/)
    expect(ran).toEqual([])
    expect((await one.call('read')).text).toBe('read')
    expect((await all.call('other__wipe')).text).toBe('wipe')
    expect((await all.call(cut)).text).toBe(longName)
  })
})
