import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { digest } from '../../src/base/canonical.ts'
import { type AssentOptions, participantId } from '../../src/index.ts'
import { requesterKey } from '../../src/participant/requester.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { askingServer, login } from '../support/server/asking-server.ts'
import { type Call, outcomeOf, type Reply, said, send, stateIn, yesToAll } from '../support/server/tools-on-wire.ts'
import { tampered } from './tampering.ts'

async function aServer(options: Parameters<typeof askingServer>[1] = {}, assentOptions: AssentOptions = {}) {
  const assent = await anAssent(assentOptions)
  const server = await askingServer(assent, options)
  onTestFinished(() => server.close())
  return { ...server, assent, call: (call: Call = {}) => send(server.url, call) }
}

const refused = { code: -32602, message: 'Invalid or expired requestState' }

function expectRefused(reply: Reply, what: string): void {
  expect(reply.error, what).toMatchObject(refused)
  expect(reply.status, what).toBeLessThan(500)
}

describe('a state that somebody changed', () => {
  test('of 10,000 tampered values none is taken, none crashes, none does anything (M26-06, M26-07)', async () => {
    const [old, current] = [makeKey(), makeKey()]
    const keys = [current, old].map(formatKey).join(',')
    const { call, deeds, errors } = await aServer({ only: ['deploy'] }, { keys })
    const first = stateIn(await call())
    const second = stateIn(await call({ state: first, responses: yesToAll }))

    const values = tampered([second, first], [old.id, current.id], 10_000)
    expect(values.length).toBeGreaterThanOrEqual(10_000)
    await Promise.all(
      Array.from({ length: 16 }, async (_, lane) => {
        for (let at = lane; at < values.length; at += 16) {
          const reply = await call({ state: values[at], responses: yesToAll })
          expectRefused(reply, `value ${at}: ${JSON.stringify(values[at])?.slice(0, 200)}`)
        }
      }),
    )
    expect(deeds).toEqual([])
    expect(errors).toEqual([])
    // And all the while the true one was good.
    expect(said(await call({ state: second, responses: yesToAll }))).toBe('run 1: deployed OPS-1 to test')
  })

  test.each([1_000, 100_000, 1_000_000])('a bomb of %i brackets harms nobody (M26-06)', async (depth) => {
    const { call, deeds } = await aServer({ only: ['deploy'] })
    const state = stateIn(await call({ state: stateIn(await call()), responses: yesToAll }))
    const bomb = { raw: '['.repeat(depth) + ']'.repeat(depth) }
    const mine = { raw: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` }
    for (const attack of [
      { state: bomb, responses: yesToAll },
      { state: mine, responses: yesToAll },
      { state, responses: bomb },
      { state, responses: { sure: mine } },
      { state, responses: yesToAll, args: mine },
      { state, responses: yesToAll, args: { env: 'test', more: bomb } },
    ]) {
      const reply = await call(attack)
      expect(reply.status).toBeLessThan(500)
      expect(deeds).toEqual([])
    }
    expect(said(await call({ state, responses: yesToAll }))).toContain('deployed')
  })

  test('a state larger than anything is refused unread (M26-06)', async () => {
    const { call } = await aServer({ only: ['deploy'] })
    expect((await call({ state: 'x'.repeat(5_000_000) })).status).toBe(413)
    expectRefused(await call({ state: 'x'.repeat(4_000_000) }), 'four million characters')
  })

  test('an SDK client that echoes a changed state is told so (M26-07)', async () => {
    const { url, deeds } = await aServer()
    const client = new Client(
      { name: 'tester', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: { pin: '2026-07-28' } },
        inputRequired: { autoFulfill: false },
      },
    )
    const headers = { Authorization: 'Bearer alice.desk' }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    const params = { name: 'deploy', arguments: { env: 'test' } }
    const round = (more: object) =>
      client.request({ method: 'tools/call', params: { ...params, ...more } }, { allowInputRequired: true })

    const { requestState } = (await round({})) as unknown as { requestState: string }
    const inputResponses = yesToAll
    await expect(round({ inputResponses, requestState: `${requestState}-TAMPERED` })).rejects.toMatchObject(refused)
    expect(await round({ inputResponses, requestState })).toMatchObject({ resultType: 'input_required' })
    expect(deeds).toEqual([])
  })
})

describe('a state that is too old', () => {
  test('is refused from the moment it expires, and taken until then (M26-09)', async () => {
    const clock = fixedClock()
    const { call, deeds } = await aServer({ clocks: { state: '15m' } }, { clock })
    const state = stateIn(await call())

    clock.advance(15 * 60_000 - 1)
    const later = stateIn(await call({ state, responses: yesToAll }))
    clock.advance(1)
    expectRefused(await call({ state, responses: yesToAll }), 'the first state')
    expect(said(await call({ state: later, responses: yesToAll }))).toContain('deployed')

    clock.advance(24 * 3_600_000)
    for (const old of [state, later]) expectRefused(await call({ state: old, responses: yesToAll }), 'a day later')
    expect(deeds).toHaveLength(1)
  })

  test('is refused though its yes was forgotten with it (M26-09, M26-11)', async () => {
    const clock = fixedClock()
    const { call, deeds, assent } = await aServer({}, { clock })
    const state = stateIn(await call({ name: 'wipe' }))
    const yes = { name: 'wipe', state, responses: yesToAll }
    expect(said(await call(yes))).toBe('wiped test')
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60_000)
      await assent.tidy()
      const reply = await call(yes)
      expect(outcomeOf(reply) === 'already-run' || reply.error?.code === -32602).toBe(true)
    }
    expect(deeds).toEqual(['wipe test'])
  })
})

describe('a state sent where it does not belong', () => {
  const swaps: Record<string, Call> = {
    'to another tool (M26-10)': { name: 'deploy-too' },
    'with other arguments (M26-10)': { args: { env: 'production' } },
    'with one argument more (M26-10)': { args: { env: 'test', force: true } },
    'with no arguments (M26-10)': { args: {} },
    'with arguments of another type (M26-10)': { args: { env: ['test'] } },
    'with another method (M26-10)': { method: 'prompts/get' },
    'to a resource (M26-10)': { method: 'resources/read', name: 'log://deploys' },
    'by another participant (M26-08, E11-25, E11-30, S-09)': { token: 'bob.desk' },
    'by another client of the same participant (M26-08, E11-30)': { token: 'alice.phone' },
    'by another participant and client (M26-08, E11-30)': { token: 'bob.phone' },
    'by one whose name and client read alike when joined (M26-08)': { token: 'alice_desk.x' },
  }

  test.each(Object.entries(swaps))('%s', async (_, swap) => {
    const { call, deeds } = await aServer()
    const first = stateIn(await call())
    const second = stateIn(await call({ state: first, responses: yesToAll }))

    for (const state of [first, second]) {
      expectRefused(await call({ ...swap, state, responses: yesToAll }), 'swapped')
      // Whoever swaps may also leave the answers to the state.
      expectRefused(await call({ ...swap, state }), 'swapped, with no answers')
    }
    expect(deeds).toEqual([])
    expect(said(await call({ state: second, responses: yesToAll }))).toContain('deployed')
  })

  test('a prompt’s state does not open a tool, nor a resource’s (M26-10)', async () => {
    const { call, deeds } = await aServer()
    const prompt = stateIn(await call({ method: 'prompts/get' }))
    const resource = stateIn(await call({ method: 'resources/read', name: 'log://deploys' }))
    for (const state of [prompt, resource]) expectRefused(await call({ state, responses: yesToAll }), 'as a tool’s')
    expect(deeds).toEqual([])

    expect((await call({ method: 'prompts/get', state: prompt, responses: yesToAll })).error).toBeUndefined()
    const read = { method: 'resources/read', name: 'log://deploys', state: resource, responses: yesToAll } as const
    expect((await call(read)).error).toBeUndefined()
    expect(deeds).toEqual(['prompt OPS-1 test', 'read OPS-1'])
  })

  test('a state of another server of the same installation is refused (M26-10)', async () => {
    const mine = await aServer({ only: ['deploy'] })
    const other = await askingServer(mine.assent, { only: ['deploy'], name: 'other' })
    onTestFinished(() => other.close())
    const state = stateIn(await mine.call())
    expectRefused(await send(other.url, { state, responses: yesToAll }), 'at another server')
    expect(other.deeds).toEqual([])
    expect((await mine.call({ state, responses: yesToAll })).error).toBeUndefined()
  })

  test('a state of the version before, which was bound to no server, says nothing: all is asked again', async () => {
    const { call, assent, deeds } = await aServer({ only: ['deploy'] })
    const requester = { participant: participantId({ issuer: login.issuer, subject: 'alice' }), client: 'desk' }
    const identity = digest([requesterKey(requester), 'tools/call', 'deploy', { env: 'test' }])
    const answered = { ticket: { f: 'x', v: { ticket: 'OPS-1' } }, sure: { f: 'x', v: true } }
    const sealedBefore = async (e: number) => {
      const text = JSON.stringify({ e, s: { w: 'an-old-walk', a: answered, p: {} } })
      const { key, box } = await assent.vault.seal(text, `state/${identity}`)
      return `${key}~${box}`
    }
    const again = await call({ state: await sealedBefore(Date.now() + 60_000), responses: yesToAll })
    expect(Object.keys(again.result.inputRequests ?? {})).toEqual(['ticket'])
    expect(deeds).toEqual([])
    expectRefused(await call({ state: await sealedBefore(Date.now() - 1) }), 'expired')
  })

  test('a state of another installation, with keys of its own, is refused (M26-07)', async () => {
    const [here, there] = [await aServer(), await aServer({}, { keys: formatKey(makeKey()) })]
    const state = stateIn(await there.call())
    expectRefused(await here.call({ state, responses: yesToAll }), 'another installation')
  })

  test('the order of arguments, the client’s name and the request’s id change nothing (M26-10)', async () => {
    const { call } = await aServer()
    const state = stateIn(await call({ args: { env: 'test', more: 1 } }))
    const reordered = await call({ args: { more: 1, env: 'test' }, state, responses: yesToAll })
    expect(reordered.result.resultType).toBe('input_required')
  })
})

describe('a yes that is sent again', () => {
  test.each(['wipe', 'wipe-on-page'])('%s: nothing runs twice (M26-11)', async (name) => {
    const { call, deeds, assent } = await aServer()
    const asked = await call({ name })
    const yes = { name, state: stateIn(asked), responses: yesToAll }
    const alice = (await login.byToken('alice.desk'))?.participant as never
    const [open] = await assent.listOpen({ participant: alice, groups: [] }, 1)
    if (open !== undefined) await assent.answer(open.id, onPage(alice), { action: 'accept', content: {} })

    expect(said(await call(yes))).toBe('wiped test')
    for (let n = 0; n < 20; n++) expect(outcomeOf(await call(yes))).toBe('already-run')
    expect(deeds).toEqual(['wipe test'])
  })

  test('nothing runs twice when the yes is in the state already and a later question is answered again (M26-11)', async () => {
    const { call, deeds } = await aServer()
    const name = 'wipe-and-name'
    const first = stateIn(await call({ name }))
    const { sure, ticket } = yesToAll
    const second = stateIn(await call({ name, state: first, responses: { sure } }))

    expect(said(await call({ name, state: second, responses: { ticket } }))).toBe('wiped test')
    const otherTicket = { action: 'accept', content: { ticket: 'OPS-2' } }
    for (const again of [
      { state: second, responses: { ticket } },
      { state: second, responses: { ticket: otherTicket } },
      { state: second },
      { state: first, responses: yesToAll },
      { state: first, responses: { sure } },
    ]) {
      expect(outcomeOf(await call({ name, ...again }))).toBe('already-run')
    }
    expect(deeds).toEqual(['wipe test for OPS-1'])
  })

  test('of 100 who send the last retry at once, one runs it (M26-11)', async () => {
    const { call, deeds } = await aServer()
    const state = stateIn(await call({ state: stateIn(await call()), responses: yesToAll }))
    const replies = await Promise.all(Array.from({ length: 100 }, () => call({ state, responses: yesToAll })))

    expect(deeds).toEqual(['deploy OPS-1 to test'])
    expect(replies.filter((reply) => said(reply).includes('deployed'))).toHaveLength(1)
    expect(replies.filter((reply) => outcomeOf(reply) === 'already-run')).toHaveLength(99)
  })

  test('of 100 who answer the state after a yes at once, one runs it (M26-11)', async () => {
    const { call, deeds } = await aServer()
    const name = 'wipe-and-name'
    const state = stateIn(
      await call({ name, state: stateIn(await call({ name })), responses: { sure: yesToAll.sure } }),
    )
    await Promise.all(Array.from({ length: 100 }, () => call({ name, state, responses: yesToAll })))
    expect(deeds).toEqual(['wipe test for OPS-1'])
  })

  test('a state from before the last question does not get a second yes by another way (M26-11)', async () => {
    const { call, deeds } = await aServer()
    const first = stateIn(await call())
    const ways = await Promise.all([
      call({ state: first, responses: yesToAll }),
      call({ state: first, responses: { ticket: { action: 'accept', content: { ticket: 'OPS-2' } } } }),
      call({ state: stateIn(await call({ state: first })), responses: yesToAll }),
    ])
    const ends = await Promise.all(ways.map((way) => call({ state: stateIn(way), responses: yesToAll })))
    expect(ends.filter((end) => outcomeOf(end) === 'already-run')).toHaveLength(2)
    expect(deeds).toHaveLength(1)
  })
})

describe('a yes that nobody asked for', () => {
  test('is no yes: the question is put all the same (M26-06, M26-18)', async () => {
    const { call, deeds } = await aServer()
    for (const name of ['wipe', 'deploy', 'wipe-on-page']) {
      const reply = await call({ name, responses: yesToAll })
      expect(reply.result.inputRequests, name).toHaveProperty('sure')
    }
    // Sent with the answer to the question before it.
    const reply = await call({ state: stateIn(await call()), responses: yesToAll })
    expect(reply.result.inputRequests).toHaveProperty('sure')
    expect(deeds).toEqual([])
  })

  const halfHearted: Record<string, unknown> = {
    'accept without content': { action: 'accept' },
    'accept with false': { action: 'accept', content: { confirm: false } },
    'accept with the word true': { action: 'accept', content: { confirm: 'true' } },
    'accept with 1': { action: 'accept', content: { confirm: 1 } },
    'accept under another name': { action: 'accept', content: { sure: true } },
    'accept by inheritance': { action: 'accept', content: { __proto__: { confirm: true } } },
    'another word': { action: 'yes', content: { confirm: true } },
    ACCEPT: { action: 'ACCEPT', content: { confirm: true } },
    decline: { action: 'decline', content: { confirm: true } },
    cancel: { action: 'cancel', content: { confirm: true } },
    'an array': [{ action: 'accept', content: { confirm: true } }],
    'a word': 'accept',
    nothing: null,
  }

  test.each(Object.entries(halfHearted))('%s is no yes either (M26-18, E11-19)', async (_, sure) => {
    const { call, deeds } = await aServer()
    const state = stateIn(await call({ name: 'wipe' }))
    const reply = await call({ name: 'wipe', state, responses: { sure } })
    expect(reply.status).toBeLessThan(500)
    expect(said(reply)).not.toContain('wiped')
    expect(deeds).toEqual([])
  })

  test('a client that says it opened the page, and what was answered there, has answered nothing (E11-19)', async () => {
    const { call, deeds } = await aServer({ clocks: { hold: 50 } })
    const name = 'wipe-on-page'
    let state = stateIn(await call({ name }))
    for (let n = 0; n < 3; n++) state = stateIn(await call({ name, state, responses: yesToAll }))
    expect(deeds).toEqual([])
  })
})

describe('what a state shows', () => {
  const secretive = 'Ursa-Major-7781'
  const names = (n: number) => ({ [`name-${n}`]: { action: 'accept', content: { name: `${secretive}-${n}` } } })

  test('nothing of the answers in it can be read, however it is decoded (M26-07)', async () => {
    const { call } = await aServer()
    let state = stateIn(await call({ name: 'rename' }))
    for (let n = 1; n <= 5; n++) state = stateIn(await call({ name: 'rename', state, responses: names(n) }))

    const readings = (['latin1', 'base64', 'base64url', 'hex', 'utf16le'] as const).map((encoding) =>
      Buffer.from(state.slice(state.indexOf('~') + 4), encoding).toString('latin1'),
    )
    for (const reading of [state, ...readings]) {
      for (const word of [secretive, 'name-1', 'rename', 'alice', 'Name 1']) expect(reading).not.toContain(word)
    }
    expect(said(await call({ name: 'rename', state, responses: names(6) }))).toContain(`${secretive}-1`)
  })

  test('it is small, and two of the same walk share nothing (M26-07)', async () => {
    const { call } = await aServer()
    let state = stateIn(await call({ name: 'rename' }))
    const sizes = [state.length]
    for (let n = 1; n <= 5; n++) {
      state = stateIn(await call({ name: 'rename', state, responses: names(n) }))
      sizes.push(state.length)
    }
    // Waiting for the first, after one answer, after five.
    expect(sizes[0]).toBeLessThan(300)
    expect(sizes[1]).toBeLessThan(450)
    expect(sizes[5]).toBeLessThan(1_000)

    const again = [stateIn(await call({ name: 'rename' })), stateIn(await call({ name: 'rename' }))]
    const shared = [...(again[0] ?? '')].findIndex((letter, at) => letter !== again[1]?.[at])
    expect(shared).toBeLessThan(24)
  })
})
