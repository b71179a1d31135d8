import { describe, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { local, say, until } from '../support/server/servers.ts'
import { guarded } from './guarded.ts'

/** In front of an upstream: lets through only who brings the key. */
const keyed = (inner: URL, isGood: (key: string | undefined) => boolean) =>
  guarded(inner, 'x-notes-key', (key) => (isGood(key) ? undefined : { status: 401, challenge: 'Bearer' }))

const providers = {
  notes: { apiKey: true, title: 'Notes', fieldLabel: 'Notes key', header: 'X-Notes-Key' },
} as const

const upstreams = {
  '2025': () => oldServer((server) => void server.registerTool('list_notes', {}, async () => say('your notes'))),
  '2026': () => newServer((server) => void server.registerTool('list_notes', {}, () => say('your notes'))),
}

describe.each(Object.entries(upstreams))('an upstream of %s that needs an account', (_era, start) => {
  describe.each([
    ['2025', connect11],
    ['2026', connect26],
  ] as const)('with a client of %s', (_, how) => {
    const meet = async (good = new Set(['key-1'])) => {
      const { url, seen } = await keyed(await start(), (key) => good.has(String(key)))
      const { url: open, seen: seenByOther } = await keyed(await start(), () => true)
      const met = await gated(
        { notes: { url, provider: 'notes' }, other: { url: open } },
        { assentOptions: { providers, policy: { default: 'allow', fallback: 'inbox' } } as never },
      )
      const client = await met.connect(how)
      const keys = ['key-1', 'key-2']
      const given: string[] = []
      const origins: string[] = []
      met.assent.events.listen((news) => {
        if (news.kind !== 'asked' || news.elicitation.purpose !== 'connect') return
        const key = keys.shift() as string
        given.push(key)
        origins.push(news.elicitation.origin.server)
        const beginning = { provider: 'notes', person: { participant: local, groups: [] } }
        void met.assent.connections.keepKey({ ...beginning, elicitation: news.elicitation.id }, key)
      })
      client.answers(() => ({ action: 'accept' }))
      const names = async () => ((await client.listTools()) as { tools: { name: string }[] }).tools.map((t) => t.name)
      return { ...met, client, seen, seenByOther, names, good, given, origins }
    }

    test('lists one tool until it is connected, and then its own; the key goes to it alone (E11-27)', async () => {
      const { client, names, seen, seenByOther, given, origins } = await meet()
      expect(await names()).toEqual(['notes__connect', 'other__list_notes'])
      expect((await client.call('notes__connect')).text).toContain('Connected')
      // Whoever reads it learns which server needs the account.
      expect(client.asked).toMatchObject([{ mode: 'url', message: 'notes needs your account at Notes to go on.' }])
      expect(origins).toEqual(['notes'])
      expect(await names()).toEqual(['notes__list_notes', 'other__list_notes'])
      expect((await client.call('notes__list_notes')).text).toBe('your notes')
      expect((await client.call('other__list_notes')).text).toBe('your notes')
      expect(given).toEqual(['key-1'])
      expect(new Set(seen)).toEqual(new Set([undefined, 'key-1']))
      expect(new Set(seenByOther)).toEqual(new Set([undefined]))
      expect(client.received()).not.toContain('key-1')
      if (how === connect11) await until(() => client.received().includes('notifications/tools/list_changed'))
    })

    test('is asked for again when it is no longer taken, and the call goes on', async () => {
      const { client, good, given } = await meet()
      expect((await client.call('notes__list_notes')).text).toBe('your notes')
      good.delete('key-1')
      good.add('key-2')
      expect((await client.call('notes__list_notes')).text).toBe('your notes')
      expect(given).toEqual(['key-1', 'key-2'])
    })
  })
})
