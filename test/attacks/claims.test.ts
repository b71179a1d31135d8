import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { AssentOptions } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { answerOnPage } from '../support/server/approving.ts'
import { askingServer } from '../support/server/asking-server.ts'
import { asking, localPage, say } from '../support/server/servers.ts'
import { outcomeOf, said, send, stateIn, yesToAll } from '../support/server/tools-on-wire.ts'
import { pathIn, testBrowser } from '../support/test-browser.ts'
import { loginByCode } from '../support/web/places.ts'

const minute = 60_000
const hour = 60 * minute
const trueTime = Date.parse('2026-01-01T00:00:00.000Z')

/** Two Assents on one store, whose clocks are twenty minutes apart. */
async function apart(options: AssentOptions = {}) {
  const store = openMemoryStore()
  const clocks = [10 * minute, -10 * minute].map((skewMs) => fixedClock(new Date(trueTime + skewMs)))
  const [early, late] = await Promise.all(clocks.map((clock) => anAssent({ store, clock, ...options })))
  if (early === undefined || late === undefined) return expect.unreachable()
  return { early, late, pass: (ms: number) => clocks.map((clock) => clock.advance(ms)) }
}

describe('what counts once, where clocks differ', () => {
  test('attack: a state of an early clock, spent and tidied away, is sent again to a late one', async () => {
    const { early, late, pass } = await apart()
    const servers = await Promise.all([early, late].map((assent) => askingServer(assent, { clocks: { state: '2m' } })))
    const [atEarly, atLate] = servers
    if (atEarly === undefined || atLate === undefined) return expect.unreachable()
    for (const server of servers) onTestFinished(() => server.close())
    const state = stateIn(await send(atEarly.url, { name: 'wipe' }))
    const yes = { name: 'wipe', state, responses: yesToAll }
    expect(said(await send(atLate.url, yes))).toBe('wiped test')
    for (let passed = 0; passed < 20; passed += 1) {
      pass(minute)
      await early.tidy()
      expect(outcomeOf(await send(atLate.url, yes))).toBe('already-run')
    }
    expect(servers.flatMap(({ deeds }) => deeds)).toEqual(['wipe test'])
  })

  test('attack: a state of a server that gives it days is spent at one that gives minutes, and sent again', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const servers = await Promise.all(['5d', '2m'].map((state) => askingServer(assent, { clocks: { state } })))
    const [slow, quick] = servers
    if (slow === undefined || quick === undefined) return expect.unreachable()
    for (const server of servers) onTestFinished(() => server.close())
    const yes = { name: 'wipe', state: stateIn(await send(slow.url, { name: 'wipe' })), responses: yesToAll }
    expect(said(await send(quick.url, yes))).toBe('wiped test')
    for (let days = 1; days < 5; days += 1) {
      clock.advance(24 * hour)
      await assent.tidy()
      expect(outcomeOf(await send(slow.url, yes))).toBe('already-run')
    }
    expect(servers.flatMap(({ deeds }) => deeds)).toEqual(['wipe test'])
  })

  test('attack: a one-time link, used and tidied away, is used again where the clock is late', async () => {
    const { early, late, pass } = await apart()
    const link = pathIn(await createWeb(early).enrollLink())
    const web = createWeb(late)
    expect((await testBrowser({ web }).post(link)).status).toBe(200)
    for (let passed = 0; passed < 30; passed += 1) {
      pass(minute)
      await early.tidy()
      expect((await testBrowser({ web }).post(link)).status).toBe(403)
    }
  })

  test('attack: the answer to a login, used and tidied away, signs in again where the clock is late', async () => {
    const { early, late, pass } = await apart()
    const webs = [early, late].map((assent) => createWeb({ ...assent, login: loginByCode }))
    const [atEarly, atLate] = webs
    if (atEarly === undefined || atLate === undefined) return expect.unreachable()
    const browser = testBrowser({ web: atEarly })
    const { location } = await browser.get('/login')
    const callback = `/login/callback?code=alice&state=${new URL(location ?? '').searchParams.get('state')}`
    const back = () => {
      const thief = testBrowser({ web: atLate })
      for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
      return thief.get(callback)
    }
    expect((await back()).status).toBe(303)
    for (let passed = 0; passed < 30; passed += 1) {
      pass(minute)
      await early.tidy()
      expect((await back()).status).toBe(403)
    }
  })

  test('attack: a spent yes whose record is tidied away by an early clock is made again from its answer', async () => {
    const { early, late, pass } = await apart({
      policy: { rules: [{ decide: 'ask' }] },
      retain: { settled: '5m' },
      clocks: { tidy: 0, unspentYes: '6h' },
    })
    const requester = { participant: alice, client: 'agent' }
    const approving = { call: aCall({ requester }), walkId: 'walk' }
    const asked = await early.approvals.approve(approving)
    if (asked.kind !== 'question') return expect.unreachable()
    await answerOnPage(early, asked.elicitation, onPage(alice))
    const again = { ...approving, question: asked.elicitation.id }
    const approved = await late.approvals.approve(again)
    if (approved.kind !== 'approved') return expect.unreachable()
    expect((await late.approvals.start(approved, { ...again, policy: late.approvals.policy })).kind).toBe('started')
    for (let passed = 0; passed < 60; passed += 1) {
      pass(minute)
      await late.tidy()
      expect((await late.approvals.approve(again)).kind).not.toBe('approved')
    }
  })
})

describe('what counts once, days later', () => {
  test('attack: a step of ask.once is run again because its walk outlived the memory of it', async () => {
    const clock = fixedClock()
    let deeds = 0
    const { url, assent } = await asking(
      (server, { plainTool }) => {
        server.registerTool(
          'work',
          {},
          plainTool(async (ask) => {
            await ask.once('make', () => ++deeds)
            const { a } = await ask.form('A?', z.object({ a: z.string() }), { key: 'a' })
            return say(a)
          }),
        )
      },
      { assentOptions: { clock }, clocks: { state: '1d' } },
    )
    let reply = await rawCall(url, { name: 'work' })
    for (let days = 0; days < 5; days += 1) {
      clock.advance(23 * hour)
      await assent.tidy()
      reply = await rawCall(url, { name: 'work', requestState: reply.result?.requestState })
    }
    const inputResponses = { a: { action: 'accept', content: { a: 'x' } } }
    reply = await rawCall(url, { name: 'work', requestState: reply.result?.requestState, inputResponses })
    expect(reply.result?.content?.[0]?.text).toBe('x')
    expect(deeds).toBe(1)
  })

  test('attack: a yes to one call, given on a page of the error -32042, lets the same call run again after two days', async () => {
    const clock = fixedClock()
    let deeds = 0
    const { assent, connect } = await asking(
      (server, { plainTool }) => {
        server.registerTool(
          'wipe',
          {},
          plainTool(async (ask) => {
            await ask.confirm('Wipe it?', { answer: 'page' })
            deeds += 1
            return say('wiped')
          }),
        )
      },
      { urlBy: 'error', assentOptions: { clock } },
    )
    const client = await connect(connect11)
    const sentToPage = () =>
      client.call('wipe').then(
        () => 'ran',
        ({ code }) => code,
      )
    expect(await sentToPage()).toBe(-32_042)
    const [asked] = await assent.listOpen(localPage, 10)
    if (asked === undefined) return expect.unreachable()
    await assent.answer(asked.id, localPage, { action: 'accept', content: { confirm: true } })
    expect((await client.call('wipe')).text).toBe('wiped')
    expect(await sentToPage()).toBe(-32_042)
    for (let days = 0; days < 4; days += 1) {
      clock.advance(13 * hour)
      await assent.tidy()
      expect(await sentToPage()).toBe(-32_042)
    }
    expect(deeds).toBe(1)
  })
})
