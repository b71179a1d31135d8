import { describe, expect, test } from 'vitest'
import { Budget } from '../../../src/base/limits/budget.ts'
import { ProcessSlots } from '../../../src/gateway/upstream/stdio/process-slots.ts'
import type { UpstreamNotification } from '../../../src/gateway/upstream/upstream.ts'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
import { promised, until } from '../../support/server/servers.ts'
import { aClient, call, clientNamed, opened, programOf, textOf } from './upstreams.ts'

const never = new AbortController().signal
const accepts = { asked: async () => ({ result: { action: 'accept', content: { name: 'Ada' } } }) }

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.each([
  ['2025-11-25', 'old-stdio'],
  ['2026-07-28', 'new-stdio'],
] as const)('an upstream that is a program of %s', (revision, program) => {
  test('its revision is found by probing, it answers, reports progress, and gets cancellations', async () => {
    const upstream = opened(programOf(program))
    expect(await upstream.era(aClient, never)).toMatchObject({ kind: 'found', era: { revision } })
    expect(textOf(await call(upstream, 'echo', { text: 'a\nb ✓' }))).toBe('a\nb ✓')

    const received: unknown[] = []
    const hooks = { progress: (params: object) => void received.push(params) }
    const params = { _meta: { progressToken: 5 } }
    await call(upstream, 'count', {}, { params, hooks })
    expect(received).toEqual([1, 2, 3].map((progress) => ({ progressToken: 5, progress })))

    const controller = new AbortController()
    const waiting = call(upstream, 'wait', {}, { signal: controller.signal })
    await until(() => upstream.state().inFlight === 1)
    controller.abort()
    expect(textOf(await waiting)).toBe('lost: cancelled, sent: true')
    await until(async () => textOf(await call(upstream, 'cancelled')) === '1')
    expect(upstream.state()).toMatchObject({ kind: 'up', revision, inFlight: 0, restarts: 0, open: 1 })
  })

  test('a requester with a credential has a separate process', async () => {
    const upstream = opened(programOf(program))
    const mine = await call(upstream, 'pid')
    const credential = { env: 'TOKEN', value: 'hers' }
    const hers = await call(upstream, 'pid', {}, { ...clientNamed('alice'), credential })

    expect(textOf(hers)).not.toBe(textOf(mine))
    expect(await call(upstream, 'pid', {}, { ...clientNamed('alice'), credential })).toMatchObject({ kind: 'result' })
    expect(upstream.state().open).toBe(2)
  })
})

describe('a 2026 program', () => {
  test('is one process for all requesters and concurrent calls', async () => {
    const upstream = opened(programOf('new-stdio'))
    const pids = await Promise.all(['a', 'b', 'c'].map((name) => call(upstream, 'pid', {}, clientNamed(name))))
    expect(new Set(pids.map(textOf)).size).toBe(1)
    expect(upstream.state().open).toBe(1)
  })

  test('its questions are results', async () => {
    const upstream = opened(programOf('new-stdio'))
    expect(await call(upstream, 'ask')).toMatchObject({ kind: 'result', result: { resultType: 'input_required' } })
  })
})

describe('a 2025 program', () => {
  test("is a process for each requester, without the gateway's own secrets", async () => {
    process.env.ASSENT_KEYS_OF_TEST = 'secret'
    process.env.LOGIN_SECRET_OF_TEST = 'secret'
    const upstream = opened({ ...programOf('old-stdio'), env: { GIVEN: 'yes', ASSENT_X: 'no' } })

    const credential = { env: 'TOKEN', value: 'hers' }
    const alice = JSON.parse(textOf(await call(upstream, 'environment', {}, { ...clientNamed('alice'), credential })))
    const bob = JSON.parse(textOf(await call(upstream, 'environment', {}, clientNamed('bob'))))
    expect(alice).toMatchObject({ GIVEN: 'yes', TOKEN: 'hers' })
    expect(bob.TOKEN).toBeUndefined()
    expect(Object.keys({ ...alice, ...bob }).filter((name) => /ASSENT|LOGIN/.test(name))).toEqual([])
    expect(upstream.state().stderr).toContain('the old one starts')
  })

  test('each of several exclusive calls gets its own question', async () => {
    const upstream = opened(programOf('old-stdio'), { limits: { processes: 3 } })
    const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay']

    const replies = await Promise.all(
      names.map((who) =>
        call(
          upstream,
          'ask-aside',
          { who },
          {
            exclusive: true,
            hooks: {
              asked: async (_, { message }) => ({ result: { action: 'accept', content: { name: String(message) } } }),
            },
          },
        ),
      ),
    )
    expect(replies.map(textOf)).toEqual(names.map((who) => `${who}: accept Who is ${who}?`))
    expect(upstream.state().open).toBeLessThanOrEqual(3)
  })

  test('a question outside of any call is refused while two calls are in flight', async () => {
    const upstream = opened(programOf('old-stdio'))
    const { promise, keep } = promised()
    const asked = promised()
    const hooks = {
      asked: async () => {
        asked.keep()
        await promise
        return { result: { action: 'accept', content: { name: 'Ada' } } }
      },
    }
    const first = call(upstream, 'ask', { who: 'ann' }, { hooks })
    await asked.promise

    expect(textOf(await call(upstream, 'ask-aside', { who: 'bob' }, { hooks: accepts }))).toBe('bob: -31001 nobody')
    keep()
    expect(textOf(await first)).toBe('ann: accept Ada')
  })

  test('requests wait while all processes are in use, up to a limit', async () => {
    const clock = fixedClock()
    const upstream = opened(programOf('old-stdio'), { limits: { processes: 1, queue: 1 }, clock })
    const controller = new AbortController()
    const holding = call(upstream, 'wait', {}, { exclusive: true, signal: controller.signal })
    await until(() => upstream.state().revision !== undefined && upstream.state().inFlight === 1)

    const late = call(upstream, 'echo', { text: 'x' }, { exclusive: true })
    const tooMany = call(upstream, 'echo', { text: 'y' }, { exclusive: true })
    expect(await tooMany).toMatchObject({ kind: 'lost', reason: 'busy', sent: false })
    clock.advance(30_000)
    expect(await late).toMatchObject({ kind: 'lost', reason: 'busy', sent: false })
    controller.abort()
    await holding
  })

  test('an idle process is ended when another requester, of this upstream or another, needs its slot', async () => {
    const slots = new ProcessSlots(1)
    const one = opened(programOf('old-stdio'), { slots })
    const two = opened(programOf('old-stdio'), { slots })

    expect(textOf(await call(one, 'echo', { text: '1' }, clientNamed('a')))).toBe('1')
    expect(textOf(await call(one, 'echo', { text: '2' }, clientNamed('b')))).toBe('2')
    expect(textOf(await call(two, 'echo', { text: '3' }))).toBe('3')
    expect(slots.taken).toBe(1)
    expect(one.state()).toMatchObject({ open: 0, restarts: 0 })
  })

  test('notifications name the requester', async () => {
    const upstream = opened(programOf('old-stdio'))
    const notifications: UpstreamNotification[] = []
    upstream.listen((notification) => notifications.push(notification))
    await call(upstream, 'change', {}, clientNamed('alice'))
    await until(() => notifications.length > 0)
    expect(notifications).toMatchObject([
      { requester: { client: 'alice' }, method: 'notifications/tools/list_changed' },
    ])
  })

  test('is ended when it has been idle for a while, and started again when needed', async () => {
    const clock = fixedClock()
    const upstream = opened(programOf('old-stdio'), { clock })
    const first = textOf(await call(upstream, 'pid'))

    clock.advance(600_000)
    await until(() => upstream.state().open === 0)
    expect(isAlive(Number(first))).toBe(false)
    expect(textOf(await call(upstream, 'pid'))).not.toBe(first)
    expect(upstream.state().restarts).toBe(0)
  })
})

describe('a program that behaves badly', () => {
  test('crashes: the call is lost and may have run, and the next call gets a new process (T26-04)', async () => {
    const upstream = opened(programOf('rough-stdio'))
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')

    expect(textOf(await call(upstream, 'crash'))).toBe('lost: broken, sent: true')
    expect(upstream.state()).toMatchObject({ kind: 'down', reason: 'the process ended with code 7', restarts: 1 })
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')
    expect(upstream.state()).toMatchObject({ kind: 'up', restarts: 1 })
  })

  test('crashes right after its answer: the answer counts', async () => {
    const upstream = opened(programOf('rough-stdio'))
    expect(await call(upstream, 'crash-after-answer')).toMatchObject({ kind: 'result' })
  })

  test('never starts: calls fail at once, and restarts use exponential back-off', async () => {
    const clock = fixedClock()
    const upstream = opened(programOf('rough-stdio', 'dies'), { clock })
    expect(textOf(await call(upstream, 'fine'))).toBe('lost: broken, sent: false')
    expect(upstream.state()).toMatchObject({ kind: 'down', restarts: 2 })

    const patient = call(upstream, 'fine')
    clock.advance(2_000)
    expect(textOf(await patient)).toBe('lost: broken, sent: false')
    expect(await call(upstream, 'fine')).toMatchObject({ kind: 'lost', reason: 'down', sent: false })
    expect(upstream.state().restarts).toBe(4)
  })

  test('does not exist', async () => {
    const upstream = opened({ name: 'tested', command: '/no/such/program' })
    const reply = await call(upstream, 'fine')
    expect(reply).toMatchObject({ kind: 'lost', sent: false })
    expect(upstream.state().reason).toContain('ENOENT')
  })

  test('exits when it is probed: it is treated as a 2025 server', async () => {
    const upstream = opened(programOf('rough-stdio', 'dies-of-probe'))
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')
    expect(upstream.state().revision).toBe('2025-06-18')
  })

  test('does not answer the probe: it is treated as a 2025 server (V26-08)', async () => {
    const upstream = opened(programOf('rough-stdio', 'silent'), { limits: { probe: 200 } })
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')
  })

  test('supports only an unknown revision', async () => {
    const upstream = opened(programOf('rough-stdio', 'future'))
    expect(await call(upstream, 'fine')).toMatchObject({ kind: 'lost', reason: 'unsupported', sent: false })
  })

  test('writes malformed messages, wrong ids, unexpected and repeated responses: only the first matching response counts', async () => {
    const upstream = opened(programOf('rough-stdio'))
    expect(textOf(await call(upstream, 'rubbish'))).toBe('first')
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')
    expect(upstream.state().dropped).toBeGreaterThanOrEqual(7)
  })

  test('answers with more JSON values than may be read: only its own call is lost', async () => {
    const upstream = opened(programOf('rough-stdio'))
    const other = call(upstream, 'silent')
    expect(textOf(await call(upstream, 'values'))).toBe('lost: too-long, sent: true')
    expect(upstream.state()).toMatchObject({ inFlight: 1, dropped: 1 })
    expect(textOf(await call(upstream, 'well'))).toBe('well')
    await upstream.close()
    expect(textOf(await other)).toBe('lost: closed, sent: true')
  })

  test('an attack: reads nothing, and large calls are sent and given up again and again', async () => {
    const messages = new Budget(8_000_000, 2_000_000)
    const upstream = opened(programOf('rough-stdio'), { messages })
    expect(textOf(await call(upstream, 'deaf'))).toBe('I am not listening')
    const ends = []
    for (let count = 0; count < 5; count += 1) {
      const signal = AbortSignal.timeout(50)
      ends.push(textOf(await call(upstream, 'x', { text: 'x'.repeat(800_000) }, { signal })))
    }
    expect(ends).toEqual([...Array(2).fill('lost: cancelled, sent: true'), ...Array(3).fill('lost: busy, sent: false')])
    expect(messages.held).toBeLessThanOrEqual(2_000_000)
    await upstream.close()
    expect(messages.held).toBe(0)
  })

  test('says more of itself than may be kept: its calls end with that reason', async () => {
    const upstream = opened(programOf('rough-stdio', 'talkative'))
    expect(textOf(await call(upstream, 'well'))).toBe('lost: too-long, sent: false')
  })

  test.each(['giant', 'giant-head'])('writes a line over the limit (%s): only its own call is lost', async (name) => {
    const upstream = opened(programOf('rough-stdio'), { limits: { messageBytes: 1_000_000 } })
    const controller = new AbortController()
    const other = call(upstream, 'silent', {}, { signal: controller.signal })
    expect(textOf(await call(upstream, name))).toBe('lost: too-long, sent: true')
    expect(textOf(await call(upstream, 'fine'))).toBe('fine')
    expect(upstream.state().inFlight).toBe(1)
    controller.abort()
    await other
  })

  test('writes a line that never ends: its calls end with the reason, the process too, and the next one works', async () => {
    const upstream = opened(programOf('rough-stdio'), { limits: { messageBytes: 1_000_000 } })
    const other = call(upstream, 'silent')
    expect(textOf(await call(upstream, 'endless'))).toBe('lost: too-long, sent: true')
    expect(textOf(await other)).toBe('lost: too-long, sent: true')
    await until(() => upstream.state().open === 0)
    expect(upstream.state()).toMatchObject({
      kind: 'down',
      reason: expect.stringContaining('the process was ended, because it wrote a line much longer than 1000000 bytes'),
      restarts: 1,
    })
    expect(textOf(await call(upstream, 'well'))).toBe('well')
  })

  test('floods: notifications over the limit are dropped', async () => {
    const upstream = opened(programOf('rough-stdio'))
    let notifications = 0
    upstream.listen(() => {
      notifications += 1
    })
    expect(textOf(await call(upstream, 'flood'))).toBe('flooded')
    expect(notifications).toBeLessThan(2_500)
    expect(notifications + upstream.state().dropped).toBe(5_000)
  })

  test('writes to stderr: the last lines are kept', async () => {
    const upstream = opened(programOf('rough-stdio'))
    await call(upstream, 'complain')
    await until(() => upstream.state().stderr.at(-1) === 'complaint 29')
    expect(upstream.state().stderr).toHaveLength(20)
  })

  test('ignores SIGTERM and has children: all have exited after close', async () => {
    const upstream = opened(programOf('rough-stdio', 'stubborn'), { limits: { shutdown: 100 } })
    const child = Number(textOf(await call(upstream, 'family')))
    expect(isAlive(child)).toBe(true)
    const silent = call(upstream, 'silent')
    await until(() => upstream.state().inFlight === 1)

    await upstream.close()
    expect(await silent).toMatchObject({ kind: 'lost', reason: 'closed' })
    await until(() => !isAlive(child))
    expect(upstream.state().open).toBe(0)
  })

  test('gets no cancellation of its handshake, and one `initialize`', async () => {
    const upstream = opened(programOf('rough-stdio'))
    expect(JSON.parse(textOf(await call(upstream, 'seen')))).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
  })
})
