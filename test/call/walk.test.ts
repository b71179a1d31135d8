import { describe, expect, test } from 'vitest'
import { grantIdFor } from '../../src/approval/grant/grant-from.ts'
import { decide } from '../../src/approval/policy/decide.ts'
import { type Entrance, sendAndFinish, walk } from '../../src/call/walk.ts'
import type { ElicitationId } from '../../src/elicitation/elicitation.ts'
import type { Assent } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, audited, isApproved, refusal, say } from '../support/approval/approving.ts'
import { anAssent, everyAssent, testKeys } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const starting = ({ approvals }: Pick<Assent, 'approvals'>, walkId: string) => ({ walkId, policy: approvals.policy })

const copies = Array.from({ length: 100 }, (_, n) => `copy-${n}`)

describe.each(everyAssent)('trap 11: a hundred copies of one call ($name)', ({ assent: fresh }) => {
  test('ask one question; one yes runs one of them, and the others join the next', async () => {
    const assent = await fresh()
    const upstream = anUpstream(assent)
    const first = await Promise.all(copies.map((copy) => asks(assent, aCall(), copy)))
    const ids = new Set(first.map(({ id }) => id))
    expect(ids.size).toBe(1)
    const [question] = first
    if (question === undefined) throw new Error('There is a question.')
    await say(assent, question, { choice: 'allow_once' })

    // Half of them know the question they asked, as a client that echoes its state; half come anew.
    const outcomes = await Promise.all(
      copies.map((copy, n) => upstream.run(aCall(), copy, n % 2 === 0 ? question.id : undefined)),
    )
    expect(upstream.sent).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    const next = outcomes.flatMap((outcome) => (outcome.kind === 'question' ? [outcome.elicitation.id] : []))
    expect(next).toHaveLength(99)
    expect(new Set(next).size).toBe(1)
    expect(next[0]).not.toBe(question.id)
    const spent = (await audited(assent, 'grant-spent')).length - (await audited(assent, 'grant-spent-late')).length
    expect(spent).toBe(1)
    expect(await audited(assent, 'call-started')).toHaveLength(1)
  })

  test('of one walk sent twenty times at once run once, and the rest is told so', async () => {
    const assent = await fresh()
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    const outcomes = await Promise.all(copies.slice(0, 20).map(() => upstream.run(aCall(), 'walk-1', id)))
    expect(upstream.sent).toHaveLength(1)
    const others = outcomes.filter(({ kind }) => kind !== 'done')
    expect(others).toHaveLength(19)
    for (const other of others) expect(other).toMatchObject({ kind: 'refused', status: 'already-run' })
  })
})

describe('a reply that was lost', () => {
  test('and its walk sent again: already run, with the outcome, and nothing runs or is asked', async () => {
    const assent = await anAssent()
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    await upstream.run(aCall(), 'walk-1', id)
    const again = await upstream.run(aCall(), 'walk-1', id)
    expect(again).toEqual(refusal('already-run', 'done', 'This call ran already, and it is done. Nothing ran again.'))
    expect(upstream.sent).toHaveLength(1)
    expect(await audited(assent, 'question-asked')).toHaveLength(1)
  })

  test.each<[string, object | undefined]>([
    ['policy allows it by now', { default: 'allow' }],
    ['policy only watches by now', { mode: 'watch' }],
    ['policy denies it by now', { default: 'deny' }],
    ['there is a lasting yes by now', undefined],
  ])('is already run also when %s', async (_, policy) => {
    const assent = await anAssent()
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    await upstream.run(aCall(), 'walk-1', id)
    if (policy !== undefined) await assent.approvals.usePolicy(readPolicy(policy))
    else await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' }, aCall({ arguments: {} }))
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual(refusal('already-run', 'done'))
    expect(upstream.sent).toHaveLength(1)
  })

  test('of a call that failed, or of which nobody knows', async () => {
    const assent = await anAssent()
    const send = async () => ({ result: 'lost', outcome: 'failed' }) as const
    const access = async () => ({ kind: 'ready', credential: undefined }) as const
    const { id } = await asksAnd(assent)
    const failing = { call: aCall(), walkId: 'walk-1', question: id }
    const ran = await walk({ approvals: assent.approvals, access, send, finish: 'now' }, failing)
    expect(ran).toEqual({ kind: 'done', result: 'lost' })
    expect(await assent.approvals.approve(failing)).toEqual(refusal('already-run', 'failed'))

    const other = aCall({ arguments: {} })
    const question = await asksAnd(assent, { choice: 'allow_once' }, other)
    const killed = { call: other, walkId: 'walk-2', question: question.id }
    const approval = await assent.approvals.approve(killed)
    isApproved(approval)
    expect(await assent.approvals.start(approval, starting(assent, 'walk-2'))).toMatchObject({ kind: 'started' })
    const words = 'This call ran already, and nobody knows how it ended. Nothing ran again.'
    expect(await assent.approvals.approve(killed)).toEqual(refusal('already-run', 'unknown', words))
  })
})

describe('two clocks', () => {
  const minute = 60_000
  const times = { question: '10m', unspentYes: '1h', tidy: 0 }

  test('a yes that is not spent in its time is worth nothing, to the millisecond', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, clocks: times })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    clock.advance(60 * minute - 1)
    isApproved(await assent.approvals.approve({ call: aCall(), walkId: 'walk-1', question: id }))
    clock.advance(1)
    expect((await upstream.run(aCall(), 'walk-1', id)).kind).toBe('question')
    expect((await upstream.run(aCall(), 'walk-2')).kind).toBe('question')
    expect(upstream.sent).toEqual([])
  })

  test('time to decide is not time to run: a late yes still has its whole hour', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, clocks: times })
    const asked = await asks(assent)
    clock.advance(10 * minute - 1)
    await say(assent, asked, { choice: 'allow_once' })
    clock.advance(59 * minute)
    expect((await anUpstream(assent).run(aCall(), 'walk-1', asked.id)).kind).toBe('done')
  })

  test('a yes whose time ends between approving and starting is not spent', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, clocks: times })
    const { id } = await asksAnd(assent)
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-1', question: id })
    isApproved(approval)
    clock.advance(60 * minute)
    expect(await assent.approvals.start(approval, starting(assent, 'walk-1'))).toEqual({ kind: 'taken' })
    expect(await audited(assent, 'grant-spent', 'call-started')).toEqual([])
  })
})

describe('what changes while the account of a call is fetched', () => {
  async function during(choice: string, change: (assent: Awaited<ReturnType<typeof anAssent>>) => Promise<unknown>) {
    const assent = await anAssent()
    const { id } = await asksAnd(assent, { choice })
    const upstream = anUpstream(assent)
    let once = true
    const access = async () => {
      if (once) await change(assent)
      once = false
      return { kind: 'ready', credential: undefined } as const
    }
    const send = async () => ({ result: await upstream.sent.push(aCall()), outcome: 'done' }) as const
    const outcome = await walk(
      { approvals: assent.approvals, access, send, finish: 'now' },
      { call: aCall(), walkId: 'w', question: id },
    )
    return { outcome, sent: upstream.sent, id }
  }
  const lasting = 'always_allow/tool/revoked/this'
  const revoke = async ({ approvals }: Awaited<ReturnType<typeof anAssent>>) => {
    const [grant] = await approvals.list(alice, 1)
    if (grant !== undefined) await approvals.revoke(grant.id, alice)
  }

  test('everything is paused: it does not run', async () => {
    for (const choice of ['allow_once', lasting]) {
      const { outcome, sent } = await during(choice, ({ approvals }) => approvals.pause(alice))
      expect(outcome).toEqual(refusal('denied', 'paused'))
      expect(sent).toEqual([])
    }
  })

  test.each(['allow_once', lasting])('the policy denies it by then: it does not run (%s)', async (choice) => {
    const { outcome, sent } = await during(choice, ({ approvals }) =>
      approvals.usePolicy(readPolicy({ default: 'deny' })),
    )
    expect(outcome).toEqual(refusal('denied', 'policy'))
    expect(sent).toEqual([])
  })

  test('the policy names another approver by then: that one is asked', async () => {
    const { outcome, sent } = await during('allow_once', ({ approvals }) =>
      approvals.usePolicy(readPolicy({ rules: [{ tool: '*', decide: 'ask', approvers: ['group:finance'] }] })),
    )
    expect(outcome.kind).toBe('question')
    expect(sent).toEqual([])
  })

  test('the policy allowed it, and denies it by then: it does not run', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    const sent: string[] = []
    const entrance: Entrance<string, undefined, never> = {
      approvals: assent.approvals,
      async access() {
        await assent.approvals.usePolicy(readPolicy({ default: 'deny' }))
        return { kind: 'ready', credential: undefined }
      },
      send: async ({ walkId }) => ({ result: String(sent.push(walkId)), outcome: 'done' }),
      finish: 'now',
    }
    expect(await walk(entrance, { call: aCall(), walkId: 'walk-1' })).toEqual(refusal('denied', 'policy'))
    expect(sent).toEqual([])
  })

  test('the lasting yes is taken back: it is asked anew', async () => {
    const { outcome, sent } = await during(lasting, revoke)
    expect(outcome.kind).toBe('question')
    expect(sent).toEqual([])
  })

  test('the yes for one call is taken back: it is asked anew', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent)
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-1', question: id })
    isApproved(approval)
    await assent.approvals.revoke(grantIdFor(id), alice)
    expect(await assent.approvals.start(approval, starting(assent, 'walk-1'))).toEqual({ kind: 'taken' })
    expect((await anUpstream(assent).run(aCall(), 'walk-1', id)).kind).toBe('question')
  })

  test('a lasting yes is deleted, or its hour is over: it is not started', async () => {
    const clock = fixedClock()
    const store = openMemoryStore()
    const assent = await anAssent({ clock, store })
    await asksAnd(assent, { choice: 'always_allow/tool/hour/this' })
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-1' })
    isApproved(approval)
    clock.advance(3_600_000)
    expect(await assent.approvals.start(approval, starting(assent, 'walk-1'))).toEqual({ kind: 'taken' })
    await store.grants.forget(alice)
    expect(await assent.approvals.start(approval, starting(assent, 'walk-1'))).toEqual({ kind: 'taken' })
  })
})

describe('attack: the policy is reloaded while the start of a call is recorded, which takes as long as the store does', () => {
  async function during(next: object, { choice, needsAccount }: { choice?: string; needsAccount: boolean }) {
    const assent = await anAssent(choice === undefined ? { policy: { default: 'allow' } } : {})
    const question = choice === undefined ? undefined : (await asksAnd(assent, { choice })).id
    const sent: string[] = []
    const reloading = async <T>(begun: Promise<T>): Promise<T> => {
      const ended = await begun
      await assent.approvals.usePolicy(readPolicy(next))
      return ended
    }
    const approvals: Entrance<string, undefined, never>['approvals'] = {
      ...assent.approvals,
      get policy() {
        return assent.approvals.policy
      },
      begin: (approving) => reloading(assent.approvals.begin(approving)),
      start: (approved, starting) => reloading(assent.approvals.start(approved, starting)),
    }
    const entrance: Entrance<string, undefined, never> = {
      approvals,
      ...(needsAccount && { access: async () => ({ kind: 'ready', credential: undefined }) as const }),
      send: async ({ walkId }) => ({ result: String(sent.push(walkId)), outcome: 'done' }),
      finish: 'now',
    }
    const outcome = await walk(entrance, { call: aCall(), walkId: 'walk-1', ...(question && { question }) })
    return { assent, outcome, sent }
  }

  test.each([
    ['by policy', { needsAccount: false }],
    ['by policy, with an account', { needsAccount: true }],
    ['by a yes to this call', { choice: 'allow_once', needsAccount: true }],
    ['by a lasting yes', { choice: 'always_allow/tool/revoked/this', needsAccount: true }],
  ])('and denies what was allowed %s: it is not sent, and the audit says how it ended', async (_, by) => {
    const { assent, outcome, sent } = await during({ default: 'deny' }, by)
    expect(outcome).toEqual(refusal('denied', 'policy'))
    expect(sent).toEqual([])
    expect(await audited(assent, 'call-started', 'call-refused', 'call-finished')).toMatchObject([
      { kind: 'call-started' },
      { kind: 'call-refused' },
      { kind: 'call-finished', data: { outcome: 'failed' } },
    ])
  })

  test('and still allows it: it is sent once', async () => {
    const { outcome, sent } = await during({ mode: 'watch' }, { choice: 'allow_once', needsAccount: true })
    expect(outcome).toEqual({ kind: 'done', result: '1' })
    expect(sent).toEqual(['walk-1'])
  })
})

test('an account that is missing is asked for before the yes is spent', async () => {
  const assent = await anAssent()
  const { id } = await asksAnd(assent)
  const missing = { kind: 'connect', provider: 'notes' } as const
  const send = async () => ({ result: 'ran', outcome: 'done' }) as const
  const entrance = { approvals: assent.approvals, access: async () => missing, send, finish: 'now' } as const
  const question: ElicitationId = id
  expect(await walk(entrance, { call: aCall(), walkId: 'walk-1', question })).toBe(missing)
  expect(await audited(assent, 'grant-spent')).toEqual([])
  expect((await anUpstream(assent).run(aCall(), 'walk-1', id)).kind).toBe('done')
})

test('asked in one process, answered in a second, run in a third', async () => {
  const store = openMemoryStore()
  const shared = { ...store, close: async () => {} }
  const [one, two, three] = [
    await anAssent({ store: shared, keys: testKeys }),
    await anAssent({ store: shared, keys: testKeys }),
    await anAssent({ store: shared, keys: testKeys }),
  ] as const
  const asked = await asks(one)
  await say(two, asked, { choice: 'allow_once' })
  expect((await anUpstream(three).run(aCall(), 'another-walk')).kind).toBe('done')
  expect(await anUpstream(one).run(aCall(), 'another-walk', asked.id)).toEqual(refusal('already-run', 'done'))
})

describe('a call that needs no account', () => {
  const allowed = { policy: { default: 'allow' } } as const
  const sends = (outcome: 'done' | 'failed' | 'in-progress') => async () => ({ result: 'reply', outcome }) as const

  test('is decided and started at once, and its end is recorded soon', async () => {
    const assent = await anAssent(allowed)
    const begun: string[] = []
    const entrance: Entrance<string, undefined, never> = {
      approvals: assent.approvals,
      started: ({ walkId }) => void begun.push(walkId),
      send: sends('done'),
      finish: 'soon',
    }
    expect(await walk(entrance, { call: aCall(), walkId: 'walk-1' })).toEqual({ kind: 'done', result: 'reply' })
    expect(begun).toEqual(['walk-1'])
    expect(await audited(assent, 'call-started')).toHaveLength(1)
    await expect.poll(() => audited(assent, 'call-finished')).toHaveLength(1)
  })

  test('and that another entrance takes over has its end recorded there', async () => {
    const assent = await anAssent(allowed)
    const entrance = { approvals: assent.approvals, send: sends('in-progress'), finish: 'soon' } as const
    await walk<string, undefined, never>(entrance, { call: aCall(), walkId: 'walk-1' })
    expect(await audited(assent, 'call-finished')).toEqual([])

    const started = { walkId: 'walk-1', call: aCall(), changes: [], decision: decide(assent.approvals.policy, aCall()) }
    const taking = { approvals: assent.approvals, send: sends('failed'), finish: 'now' } as const
    expect(await sendAndFinish<string, undefined, never>(taking, started, undefined)).toBe('reply')
    expect(await audited(assent, 'call-started')).toHaveLength(1)
    expect(await audited(assent, 'call-finished')).toMatchObject([{ data: { outcome: 'failed' } }])
  })

  test('and that a person approved is started by their yes', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent)
    const order: string[] = []
    const entrance: Entrance<string, undefined, never> = {
      approvals: assent.approvals,
      beforeStart: async ({ grant }) => void order.push(`before ${grant?.uses.kind}`),
      send: async ({ given }) => {
        order.push(`sent, ${given?.by === alice}`)
        return { result: 'reply', outcome: 'done' }
      },
      finish: 'soon',
    }
    expect((await walk(entrance, { call: aCall(), walkId: 'walk-1', question: id })).kind).toBe('done')
    expect(order).toEqual(['before once', 'sent, true'])
    // A yes was spent, so its end is recorded before the answer.
    expect(await audited(assent, 'call-finished')).toHaveLength(1)
  })

  test('has its start in the audit once, also when a later round enters it again', async () => {
    const assent = await anAssent(allowed)
    const entrance = { approvals: assent.approvals, send: sends('done'), finish: 'now' } as const
    const run = (isStarted: boolean) =>
      walk<string, undefined, never>(entrance, { call: aCall(), walkId: 'walk-1', isStarted })
    await run(false)
    await run(true)
    expect(await audited(assent, 'call-started')).toHaveLength(1)
  })
})
