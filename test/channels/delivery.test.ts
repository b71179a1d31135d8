import { describe, expect, onTestFinished, test } from 'vitest'
import { createOutbox, type Notice, type OutboxOptions } from '../../src/channels/delivery/outbox.ts'
import { type QuietHours, quietFor } from '../../src/channels/delivery/quiet-hours.ts'
import { addressesToTell } from '../../src/channels/delivery/recipients.ts'
import type { SendFailure } from '../../src/channels/delivery/retry.ts'
import type { Elicitation, ElicitationId } from '../../src/elicitation/elicitation.ts'
import { noVoting, type Voting } from '../../src/elicitation/voting/voting.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { alice, alicesClient, bob } from '../support/asks.ts'

const now = new Date('2026-05-01T10:00:00Z')
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

function aQuestion(over: Partial<Elicitation> = {}): Elicitation {
  return {
    id: 'q1' as ElicitationId,
    version: 1,
    question: { mode: 'url', message: 'Deploy?', url: 'https://assent.example.com/q1' },
    purpose: 'confirm',
    origin: { server: 'deploy' },
    requester: alicesClient,
    answerers: { anyOf: [alice, 'group:ops'], through: 'page' },
    identity: 'i',
    metadata: {},
    createdAt: now,
    expiresAt: later(600),
    state: { kind: 'open' },
    ...over,
  }
}

describe('who is told', () => {
  const book = { [alice]: ['a@x'], 'group:ops': ['o@x', 'a@x'], 'group:board': ['b@x'], '*': ['rest@x'] }
  const told = (voting?: Partial<Voting>, over: Partial<Elicitation> = {}) =>
    addressesToTell(aQuestion({ ...(voting && { voting: { ...noVoting, ...voting } }), ...over }), book, 'mail')
  const via = 'page' as const

  test('at first everybody who may answer, each address once', () => {
    expect(told()).toEqual(['a@x', 'o@x'])
  })
  test('whoever has no address of their own has that of the rest, and nobody one by a name that objects have', () => {
    expect(told(undefined, { answerers: { anyOf: [bob], through: 'page' } })).toEqual(['rest@x'])
    const named = { anyOf: ['constructor' as typeof bob], through: 'page' as const }
    expect(addressesToTell(aQuestion({ answerers: named }), { [bob]: ['b@x'] }, 'mail')).toEqual([])
  })
  describe('where the rule says notify', () => {
    const asking = (...notify: string[]): Partial<Elicitation> => ({
      purpose: 'approval',
      subject: { call: { tool: 'pay' }, decision: { notify } },
    })
    test('those whom it names, instead of everybody who may answer', () => {
      expect(told(undefined, asking('group:board'))).toEqual(['b@x'])
      expect(told(undefined, asking(bob))).toEqual(['rest@x'])
    })
    test('by the channels that it names, and no other', () => {
      expect(told(undefined, asking('channel:mail'))).toEqual(['a@x', 'o@x'])
      expect(told(undefined, asking('channel:slack'))).toEqual([])
      expect(told(undefined, asking('group:board', 'channel:slack', 'channel:mail'))).toEqual(['b@x'])
    })
    test('who is asked later is told as ever', () => {
      const escalations = [{ to: [bob], at: later(5) }]
      expect(told({ escalations }, asking('group:board'))).toEqual(['rest@x'])
      expect(told({ escalations }, asking('channel:slack'))).toEqual([])
    })
    test('what is no approval has no rule', () => {
      expect(told(undefined, { subject: { decision: { notify: ['group:board'] } } })).toEqual(['a@x', 'o@x'])
    })
  })

  test('after an escalation those who are asked too', () => {
    expect(told({ escalations: [{ to: ['group:board'], at: later(5) }] })).toEqual(['b@x'])
  })
  test('after a delegation whoever receives it', () => {
    const escalations = [{ to: ['group:board' as const], at: later(5) }]
    expect(told({ escalations, delegations: [{ from: alice, to: bob, at: later(6), via }] })).toEqual(['rest@x'])
  })
  test('after an edit everybody who must vote again, but not its author', () => {
    const edit = { by: alice, at: later(7), digest: 'd', content: {} }
    const votes = [{ by: alice, choice: 'allow_once', at: later(7), via, digest: 'd' }]
    const escalations = [{ to: ['group:board' as const], at: later(5) }]
    expect(told({ edit, votes, escalations })).toEqual(['o@x', 'a@x', 'b@x'])
  })
})

describe('quiet hours', () => {
  const left = (hours: QuietHours, at: string) => quietFor(hours)(new Date(at)) / 60_000
  const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }

  test.each([
    ['2026-05-01T19:59:59Z', 0],
    ['2026-05-01T20:00:00Z', 540],
    ['2026-05-01T23:30:30Z', 329.5],
    ['2026-05-02T04:59:00Z', 1],
    ['2026-05-02T05:00:00Z', 0],
    // In winter Berlin is an hour closer.
    ['2026-12-01T20:30:00Z', 0],
    ['2026-12-01T21:00:00Z', 540],
  ])('at %s they last for %d minutes', (at, minutes) => {
    expect(left(night, at)).toBe(minutes)
  })
  test('may lie within a day', () => {
    const noon = { from: '12:00', to: '13:00', timeZone: 'UTC' }
    expect(left(noon, '2026-05-01T12:15:00Z')).toBe(45)
    expect(left(noon, '2026-05-01T13:00:00Z')).toBe(0)
    expect(left(noon, '2026-05-01T11:59:00Z')).toBe(0)
  })
})

function anOutbox(options: Partial<OutboxOptions> = {}, failures: (SendFailure | undefined)[] = []) {
  const clock = fixedClock(now)
  const sent: string[] = []
  const attempt = async (address: string, notices: readonly Notice[]) => {
    const failure = failures.shift()
    sent.push(`${address}: ${notices.map(({ elicitation }) => elicitation.id)}${failure ? ' failed' : ''}`)
    return failure
  }
  const outbox = createOutbox({ clock, retries: [2_000], gatherMs: 60_000, attempt, ...options })
  onTestFinished(() => outbox.close())
  const results: string[] = []
  const add = (id: string, address = 'a', over: Partial<Elicitation> = {}) =>
    void outbox.add(address, { elicitation: aQuestion({ id: id as ElicitationId, ...over }), link: '' }).then(
      () => results.push(`${id} done`),
      (error: Error) => results.push(`${id}: ${error.message}`),
    )
  return { outbox, clock, sent, results, add, settle: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('the outbox', () => {
  test('sends the first at once, gathers the next, and begins anew after a quiet window', async () => {
    const { clock, sent, add, settle } = anOutbox()
    add('1')
    add('2')
    add('3')
    add('4', 'b')
    await settle()
    expect(sent).toEqual(['a: 1', 'b: 4'])
    clock.advance(60_000)
    await settle()
    expect(sent.slice(2)).toEqual(['a: 2,3'])
    clock.advance(60_000)
    add('5')
    await settle()
    expect(sent.slice(3)).toEqual(['a: 5'])
  })

  test('leaves out what is settled or expired by then', async () => {
    const { outbox, clock, sent, results, add, settle } = anOutbox()
    add('1')
    add('2')
    add('3', 'a', { expiresAt: later(-10) })
    add('4')
    outbox.drop('2')
    clock.advance(60_000)
    await settle()
    expect(sent).toEqual(['a: 1', 'a: 4'])
    expect(results.sort()).toEqual(['1 done', '2 done', '3 done', '4 done'])
  })

  test('drops a message that waits for its retry when the question is settled', async () => {
    const { outbox, clock, sent, results, add, settle } = anOutbox({}, [{ reason: 'busy', isFinal: false }])
    add('1')
    await settle()
    outbox.drop('1')
    clock.advance(2_000)
    await settle()
    expect(sent).toEqual(['a: 1 failed'])
    expect(results).toEqual(['1 done'])
  })

  test('waits for the end of quiet hours, but not with what is urgent', async () => {
    const { clock, sent, add, settle } = anOutbox({ quiet: { from: '09:00', to: '11:00', timeZone: 'UTC' } })
    add('1')
    add('2')
    add('3', 'a', { priority: 'urgent' })
    await settle()
    expect(sent).toEqual(['a: 3'])
    clock.advance(59 * 60_000)
    await settle()
    expect(sent).toHaveLength(1)
    clock.advance(60_000)
    await settle()
    expect(sent.slice(1)).toEqual(['a: 1,2'])
  })

  test('holds a thousand messages for an address, and says which it gave up', async () => {
    const { results, add, settle } = anOutbox()
    for (let count = 0; count <= 1_001; count += 1) add(String(count))
    await settle()
    expect(results).toEqual(['1: More than 1000 messages waited for one address.', '0 done'])
  })

  test('gives up what waits when it is closed, and takes nothing after that', async () => {
    const { outbox, results, add, settle } = anOutbox()
    add('1')
    await settle()
    add('2')
    await outbox.close()
    add('3')
    await settle()
    expect(results).toEqual(['1 done', '2: The channel was closed before this was sent.', '3: The channel is closed.'])
  })
})
