import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createWeb } from '../../src/web/index.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { hearing } from '../support/gateway/hearing.ts'
import { local, participantOf, say, until } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { enrolledBrowser } from '../support/test-browser.ts'
import { guarded } from './guarded.ts'

const providers = { notes: { apiKey: true, title: 'Notes', header: 'X-Notes-Key' } } as const
const policy = { default: 'allow', fallback: 'inbox' } as const

/** Each lists one tool, and another one and a prompt after it has grown. */
const upstreams = {
  '2025': () =>
    oldServer((mcp) => {
      mcp.registerPrompt('first', {}, async () => ({ messages: [] }))
      mcp.registerTool('grow', {}, async () => {
        mcp.registerTool('grown', {}, async () => say('grown'))
        mcp.registerPrompt('grown', {}, async () => ({ messages: [] }))
        return say('ok')
      })
    }),
  '2026': () => {
    let hasGrown = false
    return newServer((mcp, notify) => {
      mcp.registerPrompt('first', {}, () => ({ messages: [] }))
      mcp.registerTool('grow', {}, () => {
        hasGrown = true
        notify().toolsChanged()
        notify().promptsChanged()
        return say('ok')
      })
      if (hasGrown) mcp.registerTool('grown', {}, () => say('grown'))
    })
  },
}

const keyed = async (inner: URL) =>
  (
    await guarded(inner, 'x-notes-key', (key) =>
      key?.startsWith('key') ? undefined : { status: 401, challenge: 'Bearer' },
    )
  ).url

describe.each(Object.entries(upstreams))('with an upstream of %s', (_upstream, start) => {
  describe.each(['2025', '2026'] as const)('a client of %s', (era) => {
    test('hears that its account was connected on a page, and given up there; nobody else does', async () => {
      const { assent, url, gateway } = await gated(
        { notes: { url: await keyed(await start()), provider: 'notes' } },
        { withLogin: true, assentOptions: { providers, policy } as never },
      )
      const alice = await hearing(url, era, 'alice/desk')
      const phone = await hearing(url, era, 'alice/phone')
      const bob = await hearing(url, era, 'bob/desk')
      for (const { names } of [alice, phone, bob]) expect(await names()).toEqual(['notes__connect'])

      const person = { participant: participantOf('alice'), groups: [] }
      await assent.connections.keepKey({ provider: 'notes', person }, 'key-1')
      await until(() => alice.heard.includes('tools') && phone.heard.includes('tools'))
      for (const { names } of [alice, phone]) expect(await names()).toEqual(['notes__grow'])

      // From now on the upstream's own changes are heard too.
      alice.heard.length = 0
      await until(async () => {
        await alice.client.callTool({ name: 'notes__grow', arguments: {} })
        return alice.heard.includes('tools')
      })
      expect(await alice.names()).toEqual(['notes__grow', 'notes__grown'])

      alice.heard.length = 0
      await assent.connections.disconnect(person.participant, 'notes')
      await until(() => alice.heard.includes('tools'))
      for (const { names } of [alice, phone]) expect(await names()).toEqual(['notes__connect'])
      // No session that was opened with the account outlives it.
      await until(() => gateway.upstreams()[0]?.state.open === 0)
      expect(bob.heard).toEqual([])
      expect(await bob.names()).toEqual(['notes__connect'])
    })

    test('hears of an account that was connected by another process, or by a call of another client', async () => {
      const store = `sqlite:${await temporaryFolder()}/assent.db`
      // A clock in a hurry: it is looked at every few seconds.
      const clock = { ...systemClock, after: (ms: number, due: () => void) => systemClock.after(ms / 50, due) }
      const { assent, url, connect } = await gated(
        { notes: { url: await keyed(await start()), provider: 'notes' } },
        { assentOptions: { store, clock, providers, policy } as never, clocks: { listFirst: '15m', listDown: '5m' } },
      )
      const { heard, names } = await hearing(url, era)
      expect(await names()).toEqual(['notes__connect'])
      const elsewhere = await anAssent({ store, providers, policy } as never)
      const person = { participant: local, groups: [] }
      await elsewhere.connections.keepKey({ provider: 'notes', person }, 'key-1')
      await until(() => heard.includes('tools'))
      expect(await names()).toEqual(['notes__grow'])
      heard.length = 0
      await elsewhere.connections.disconnect(local, 'notes')
      await until(() => heard.includes('tools'))
      expect(await names()).toEqual(['notes__connect'])

      heard.length = 0
      const other = await connect(connect11)
      other.answers(() => ({ action: 'accept' }))
      assent.events.listen((news) => {
        if (news.kind === 'asked')
          void assent.connections.keepKey({ provider: 'notes', person, elicitation: news.elicitation.id }, 'key-2')
      })
      expect((await other.call('notes__connect')).text).toContain('Connected')
      await until(() => heard.includes('tools'))
    })

    test.runIf(era === '2026')('hears of the changes that it asked for, and of no others', async () => {
      const { url } = await gated({ up: { url: await start() } })
      const all = await hearing(url, era)
      const prompts = await hearing(url, era, undefined, ['prompts'])
      await until(async () => {
        await all.client.callTool({ name: 'up__grow', arguments: {} })
        return all.heard.includes('tools') && all.heard.includes('prompts') && prompts.heard.includes('prompts')
      })
      expect(prompts.heard).not.toContain('tools')
      expect(await all.names()).toEqual(['up__grow', 'up__grown'])
    })
  })
})

test('what the person does at /connections is what clients hear of', async () => {
  const { assent, url } = await gated(
    { notes: { url: await keyed(await upstreams['2026']()), provider: 'notes' } },
    { assentOptions: { providers, policy } as never },
  )
  const browser = await enrolledBrowser({ assent, web: createWeb(assent) } as never)
  const clients = await Promise.all([hearing(url, '2025'), hearing(url, '2026')])
  for (const { names } of clients) expect(await names()).toEqual(['notes__connect'])
  const page = await browser.get('/connections')
  const [, path = ''] = /href="([^"]*\/oauth\/connect\/notes[^"]*)"/.exec(page.text) ?? []
  await browser.get(path)
  expect((await browser.post(path, { answer: 'accept', 'field.apiKey': 'key-1' })).status).toBe(200)
  await until(() => clients.every(({ heard }) => heard.includes('tools')))
  for (const { names } of clients) expect(await names()).toEqual(['notes__grow'])

  for (const { heard } of clients) heard.length = 0
  await browser.get('/connections')
  expect((await browser.post('/connections/notes/disconnect')).status).toBe(303)
  await until(() => clients.every(({ heard }) => heard.includes('tools')))
  for (const { names } of clients) expect(await names()).toEqual(['notes__connect'])
})
