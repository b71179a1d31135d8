import { describe, expect, test } from 'vitest'
import type { PolicySettings, RuleSettings } from '../../../src/approval/policy/policy-settings.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { type Sent, type StartedCall, walk } from '../../../src/call/walk.ts'
import type { Assent } from '../../../src/index.ts'
import { fixedClock } from '../../../src/testing/index.ts'
import { aCall, alice, bob } from '../../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, audited, refusal, say } from '../../support/approval/approving.ts'
import { onPage } from '../../support/asks.ts'
import { anAssent, everyAssent } from '../../support/assents.ts'
import { readPolicy } from '../../support/policies.ts'
import { breakable } from '../../support/stores/breakable.ts'
import { sharedStores } from '../../support/stores.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const rule = (said: Partial<RuleSettings>): PolicySettings => ({ rules: [{ decide: 'allow', ...said }] })
const twoCalls = rule({ limit: { calls: 2, per: '1h' } })
const budget = rule({ budget: { of: 'args.amount', max: 500, per: '1d' } })
const pay = (amount: unknown, changed: Partial<ToolCall> = {}): ToolCall =>
  aCall({ server: 'bank', tool: 'pay', arguments: { amount } as JsonObject, ...changed })
const spentBy = (sent: readonly ToolCall[]) => sent.reduce((sum, call) => sum + Number(call.arguments.amount), 0)

/** Runs a call without an account, as the gateway does. */
function run({ approvals }: Assent, call: ToolCall, sent: ToolCall[], walkId: string) {
  const send = async (started: StartedCall): Promise<Sent<string>> => {
    sent.push(started.call)
    return { result: 'ran', outcome: 'done' }
  }
  return walk<string, undefined, never>({ approvals, send, finish: 'soon' }, { call, walkId })
}

describe.each(everyAssent)('two hundred calls at once, on $name', ({ assent: fresh }) => {
  test('never pass a budget without a yes, with or without an account', async () => {
    const assent = await fresh({ policy: budget, limits: { openPerRequester: 1_000 } })
    const withAccount = anUpstream(assent)
    const sent: ToolCall[] = []
    const amounts = times(200, (index) => 7 + (index % 5) + index / 1_000)
    const ends = await Promise.all(
      amounts.map((amount, index) =>
        index % 2 === 0 ? withAccount.run(pay(amount), `w${index}`) : run(assent, pay(amount), sent, `w${index}`),
      ),
    )
    const ran = [...sent, ...withAccount.sent]
    expect(spentBy(ran)).toBeLessThanOrEqual(500)
    // No call is asked about that would have fitted.
    expect(spentBy(ran)).toBeGreaterThan(500 - 12)
    const asked = ends.flatMap((end) => (end.kind === 'question' ? end.elicitation : []))
    expect(asked).toHaveLength(200 - ran.length)

    const [first] = asked
    if (first === undefined) throw new Error('One was to be asked about.')
    await say(assent, first, { choice: 'allow_once' }, onPage(alice))
    const index = ends.findIndex((end) => end.kind === 'question' && end.elicitation.id === first.id)
    await withAccount.run(pay(amounts[index]), `w${index}`, first.id)
    expect([...sent, ...withAccount.sent]).toHaveLength(ran.length + 1)
  })

  test('never pass a number of calls, all of them the same', async () => {
    const assent = await fresh({ policy: rule({ limit: { calls: 20, per: '30d' } }) })
    const sent: ToolCall[] = []
    const ends = await Promise.all(times(200, (index) => run(assent, aCall(), sent, `w${index}`)))
    expect(sent).toHaveLength(20)
    // All the others wait for one question.
    const asked = ends.flatMap((end) => (end.kind === 'question' ? end.elicitation.id : []))
    expect([asked.length, new Set(asked).size]).toEqual([180, 1])
  })
})

test.each(Object.entries(sharedStores))('two instances count together on %s', async (_, fresh) => {
  const store = await fresh()
  const policy = rule({ limit: { calls: 10, per: '30d' } })
  const [one, other] = [await anAssent({ store, policy }), await anAssent({ store, policy })]
  const sent: ToolCall[] = []
  await Promise.all(times(60, (index) => run(index % 2 === 0 ? one : other, aCall(), sent, `w${index}`)))
  expect(sent).toHaveLength(10)
})

describe('beyond a limit', () => {
  test('a call is asked about, in words that say how much is used of what', async () => {
    const clock = fixedClock(new Date('2026-11-18T14:25:00Z'))
    const assent = await anAssent({ policy: budget, clock })
    const upstream = anUpstream(assent)
    await upstream.run(pay(480.5), 'w1')
    const asked = await asks(assent, pay(20), 'w2')
    expect(asked.subject).toMatchObject({
      decision: {
        why: {
          rule: 1,
          words:
            'Rule 1 lets args.amount add up to 500 in 1d without asking, and 480.5 of 500 is used since 2026-11-18 00:00 UTC.',
        },
      },
    })
    await upstream.run(pay(19.5), 'w3')
    expect(spentBy(upstream.sent)).toBe(500)
  })

  test('a no is a no, and a yes runs this call once and leaves the count as it is', async () => {
    const assent = await anAssent({ policy: twoCalls })
    const upstream = anUpstream(assent)
    for (const name of ['w1', 'w2']) await upstream.run(aCall(), name)
    const asked = await asks(assent, aCall(), 'w3')
    await say(assent, asked, { choice: 'deny' })
    expect(await upstream.run(aCall(), 'w3', asked.id)).toEqual(refusal('denied', 'deny'))

    const again = await asks(assent, aCall(), 'w4')
    await say(assent, again, { choice: 'allow_once' })
    expect(await upstream.run(aCall(), 'w4', again.id)).toMatchObject({ kind: 'done' })
    expect(await upstream.run(aCall(), 'w4', again.id)).toMatchObject({ status: 'already-run' })
    expect(upstream.sent).toHaveLength(3)
    expect((await upstream.run(aCall(), 'w5')).kind).toBe('question')
  })

  test('a yes that came when its client was gone is used by the same call, also when the limit is free again', async () => {
    const clock = fixedClock(new Date('2026-11-18T14:59:00Z'))
    const assent = await anAssent({ policy: rule({ limit: { calls: 1, per: '1h' } }), clock })
    const upstream = anUpstream(assent)
    await upstream.run(aCall(), 'w1')
    await say(assent, await asks(assent, aCall(), 'w2'), { choice: 'allow_once' })
    clock.advance(60_000)
    await upstream.run(aCall(), 'w3')
    expect(await audited(assent, 'grant-spent')).toHaveLength(1)
    await upstream.run(aCall(), 'w4')
    expect((await upstream.run(aCall(), 'w5')).kind).toBe('question')
    expect(upstream.sent).toHaveLength(3)
  })

  test('no lasting yes is offered, and none that was given before counts', async () => {
    const assent = await anAssent({ policy: { rules: [{ tool: 'write_file', decide: 'ask' }] } })
    await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' })
    const asked = await assent.approvals.approve({ call: aCall(), walkId: 'w0' })
    expect(asked).toMatchObject({ kind: 'approved', grant: { uses: { kind: 'many' } } })

    await assent.approvals.usePolicy(readPolicy(twoCalls))
    const upstream = anUpstream(assent)
    for (const name of ['w1', 'w2']) await upstream.run(aCall(), name)
    const question = await asks(assent, aCall(), 'w3')
    const choices = JSON.stringify(question.question)
    expect(choices).toContain('allow_once')
    expect(choices).not.toContain('always_allow')
    expect(await say(assent, question, { choice: 'always_allow/tool/hour/this' })).toMatchObject({ kind: 'invalid' })
  })

  test('a lasting no is a no before the limit is', async () => {
    const assent = await anAssent({ policy: { rules: [{ tool: 'write_file', decide: 'ask' }] } })
    await asksAnd(assent, { choice: 'always_deny/tool/revoked/this' })
    await assent.approvals.usePolicy(readPolicy(twoCalls))
    expect(await anUpstream(assent).run(aCall(), 'w1')).toEqual(refusal('denied', 'always-denied'))
  })

  test('the question stays, though a new window begins while a person decides', async () => {
    const clock = fixedClock(new Date('2026-11-18T14:59:00Z'))
    const assent = await anAssent({ policy: rule({ limit: { calls: 1, per: '1h' } }), clock })
    const upstream = anUpstream(assent)
    await upstream.run(aCall(), 'w1')
    const asked = await asks(assent, aCall(), 'w2')
    clock.advance(120_000)
    expect((await upstream.run(aCall(), 'w2', asked.id)).kind).toBe('question')
    expect((await upstream.run(aCall({ arguments: { path: '/b' } }), 'w3')).kind).toBe('done')
  })

  test('somebody else decides, where the rule says so', async () => {
    const policy = rule({ limit: { calls: 1, per: '1h' }, approvers: bob, answer: 'page', expires: '2h' })
    const assent = await anAssent({ policy })
    const upstream = anUpstream(assent)
    await upstream.run(aCall(), 'w1')
    const asked = await asks(assent, aCall(), 'w2')
    expect(asked.answerers).toMatchObject({ anyOf: [bob], through: 'page' })
  })

  test('the question outlives a policy that is read anew, and goes when its limit is another one', async () => {
    const assent = await anAssent({ policy: twoCalls })
    const upstream = anUpstream(assent)
    for (const name of ['w1', 'w2']) await upstream.run(aCall(), name)
    const asked = await asks(assent, aCall(), 'w3')
    expect(await assent.approvals.usePolicy(readPolicy(twoCalls))).toBe(0)
    expect(await assent.approvals.usePolicy(readPolicy(rule({ limit: { calls: 3, per: '1h' } })))).toBe(1)
    // A raised limit counts what ran before.
    expect((await upstream.run(aCall(), 'w3', asked.id)).kind).toBe('done')
    expect((await upstream.run(aCall(), 'w4')).kind).toBe('question')
  })

  test('a policy that only watches stops nothing, and records what it would have asked', async () => {
    const assent = await anAssent({ policy: { ...twoCalls, mode: 'watch' } })
    const upstream = anUpstream(assent)
    for (const name of ['w1', 'w2', 'w3']) await upstream.run(aCall(), name)
    expect((await audited(assent, 'call-started')).map(({ data }) => data.decided)).toEqual(['allow', 'allow', 'ask'])
  })
})

describe('what is counted', () => {
  test.each<[string, JsonObject]>([
    ['is missing', {}],
    ['is null', { amount: null }],
    ['is a text', { amount: '5' }],
    ['is a list', { amount: [5] }],
    ['is an object', { amount: { valueOf: 5 } }],
    ['is true', { amount: true }],
    ['is negative', { amount: -1 }],
    ['is below zero by a little', { amount: -1e-9 }],
    ['is more than the budget', { amount: 501 }],
    ['is huge', { amount: 1e308 }],
    ['is no number', { amount: Number.NaN }],
    ['is infinite', { amount: Number.POSITIVE_INFINITY }],
    ['is inherited', JSON.parse('{"__proto__":{"amount":5}}') as JsonObject],
  ])('a call whose number %s is asked about, or refused', async (_, given) => {
    const assent = await anAssent({ policy: budget })
    const upstream = anUpstream(assent)
    const end = await upstream.run(pay(0, { arguments: given }), 'w1').catch(() => ({ kind: 'refused' }))
    expect(['question', 'refused']).toContain(end.kind)
    expect(upstream.sent).toEqual([])
    expect(await assent.store.usage.used(['any'])).toEqual([0])
  })

  test('decimals add up without loss, and what is finer than a millionth counts as one more', async () => {
    const assent = await anAssent({ policy: rule({ budget: { of: 'args.amount', max: 0.3, per: '1d' } }) })
    const upstream = anUpstream(assent)
    // 0.1 + 0.2 is more than 0.3 where numbers are added as they are.
    for (const [index, amount] of [0.1, 0.2, 0].entries()) await upstream.run(pay(amount), `w${index}`)
    expect(upstream.sent).toHaveLength(3)
    expect((await upstream.run(pay(1e-12), 'w4')).kind).toBe('question')
  })

  test('a number that lies deeper is found', async () => {
    const policy = rule({ budget: { of: 'args.order.total', max: 10, per: '1d' } })
    const upstream = anUpstream(await anAssent({ policy }))
    const order = (total: number) => pay(0, { arguments: { order: { total } } })
    expect((await upstream.run(order(10), 'w1')).kind).toBe('done')
    expect((await upstream.run(order(1), 'w2')).kind).toBe('question')
  })

  test('all clients of a person count together, and each person for themselves', async () => {
    const assent = await anAssent({ policy: rule({ limit: { calls: 1, per: '30d' } }) })
    const upstream = anUpstream(assent)
    const of = (participant: typeof alice, client: string) => aCall({ requester: { participant, client } })
    expect((await upstream.run(of(alice, 'claude-code'), 'w1')).kind).toBe('done')
    expect((await upstream.run(of(alice, 'another-name'), 'w2')).kind).toBe('question')
    expect((await upstream.run(of(bob, 'claude-code'), 'w3')).kind).toBe('done')
  })

  test('a new window begins at the next full hour, in UTC', async () => {
    const clock = fixedClock(new Date('2026-11-18T14:30:00Z'))
    const upstream = anUpstream(await anAssent({ policy: rule({ limit: { calls: 1, per: '1h' } }), clock }))
    expect((await upstream.run(aCall(), 'w1')).kind).toBe('done')
    clock.advance(1_799_999)
    expect((await upstream.run(aCall({ arguments: { path: '/b' } }), 'w2')).kind).toBe('question')
    clock.advance(1)
    expect((await upstream.run(aCall({ arguments: { path: '/c' } }), 'w3')).kind).toBe('done')
  })

  test('both a limit and a budget hold, and what one refuses is not taken from the other', async () => {
    const policy = rule({
      limit: { calls: 3, per: '1d' },
      budget: { of: 'args.amount', max: 100, per: '1d' },
    })
    const upstream = anUpstream(await anAssent({ policy }))
    expect((await upstream.run(pay(90), 'w1')).kind).toBe('done')
    expect((await upstream.run(pay(11), 'w2')).kind).toBe('question')
    expect((await upstream.run(pay(5), 'w3')).kind).toBe('done')
    expect((await upstream.run(pay(5), 'w4')).kind).toBe('done')
    expect((await upstream.run(pay(0), 'w5')).kind).toBe('question')
  })

  test('rules about other calls count apart', async () => {
    const limit = { calls: 1, per: '1d' }
    const rules: RuleSettings[] = ['a', 'b'].map((tool) => ({ tool, decide: 'allow', limit }))
    const upstream = anUpstream(await anAssent({ policy: { rules } }))
    expect((await upstream.run(aCall({ tool: 'a' }), 'w1')).kind).toBe('done')
    expect((await upstream.run(aCall({ tool: 'b' }), 'w2')).kind).toBe('done')
    expect((await upstream.run(aCall({ tool: 'a' }), 'w3')).kind).toBe('question')
  })
})

describe('what was taken for a call is given back', () => {
  const once = rule({ limit: { calls: 1, per: '30d' } })
  const isFree = async (assent: Assent) => (await anUpstream(assent).run(aCall(), 'later')).kind === 'done'

  /** Starts a call whose end is as given, with all that happens before it. */
  async function ends(assent: Assent, end: Omit<Sent<string>, 'result'>, isPausedMeanwhile = false) {
    const lookAgain: Assent['approvals']['lookAgain'] = async (running) => {
      await assent.approvals.pause(alice)
      return assent.approvals.lookAgain(running)
    }
    return walk<string, undefined, never>(
      {
        approvals: isPausedMeanwhile ? { ...assent.approvals, lookAgain } : assent.approvals,
        send: async () => ({ result: 'ran', ...end }),
        finish: 'soon',
      },
      { call: aCall(), walkId: 'w1' },
    )
  }

  test('that never left', async () => {
    const assent = await anAssent({ policy: once })
    await ends(assent, { outcome: 'failed', unsent: true })
    expect(await isFree(assent)).toBe(true)
  })

  test('but not for one that failed, or that nobody knows the end of', async () => {
    for (const outcome of ['failed', 'in-progress'] as const) {
      const assent = await anAssent({ policy: once })
      await ends(assent, { outcome })
      expect(await isFree(assent)).toBe(false)
    }
  })

  test('that was stopped between its start and its sending', async () => {
    const assent = await anAssent({ policy: once })
    expect(await ends(assent, { outcome: 'done' }, true)).toEqual(refusal('denied', 'paused'))
    await assent.approvals.resume(alice)
    expect(await isFree(assent)).toBe(true)
  })

  test('that the audit could not record', async () => {
    const { store, fault } = breakable(['audit'])
    const assent = await anAssent({ policy: once, store })
    const { take } = store.usage
    Object.assign(store.usage, {
      async take(...given: Parameters<typeof take>) {
        const isTaken = await take(...given)
        fault.isDown = true
        return isTaken
      },
    })
    await expect(ends(assent, { outcome: 'done' })).rejects.toThrow()
    fault.isDown = false
    Object.assign(store.usage, { take })
    expect(await isFree(assent)).toBe(true)
  })
})

describe('a policy with limits', () => {
  test.each<[string, Partial<RuleSettings>, string]>([
    ['a limit that asks', { decide: 'ask', limit: { calls: 1, per: '1h' } }, 'Only a rule that decides allow'],
    ['a budget that denies', { decide: 'deny', budget: { of: 'args.a', max: 1, per: '1h' } }, 'Only a rule that'],
    [
      'a limit that runs when nobody can be asked',
      { limit: { calls: 1, per: '1h' }, fallback: 'allow' },
      'with a limit',
    ],
    ['no calls', { limit: { calls: 0, per: '1h' } }, 'from 1 to 1000000'],
    ['half a call', { limit: { calls: 1.5, per: '1h' } }, 'whole number'],
    ['no time', { limit: { calls: 1 } as never }, 'This must say "per"'],
    ['a time that is too long', { limit: { calls: 1, per: '31d' } }, 'at most 30d'],
    ['a budget of nothing', { budget: { of: 'args.a', max: 0, per: '1h' } }, 'above 0'],
    ['a budget that cannot be counted', { budget: { of: 'args.a', max: 1e10, per: '1h' } }, 'up to 1000000000'],
    ['a budget that is too fine', { budget: { of: 'args.a', max: 1e-7, per: '1h' } }, '6 decimals'],
    ['a budget of an expression', { budget: { of: 'args.a * 2', max: 1, per: '1h' } }, 'path of an argument'],
    ['a budget of something else', { budget: { of: 'requester.client', max: 1, per: '1h' } }, 'path of an argument'],
    ['an unknown setting', { limit: { calls: 1, per: '1h', by: 'client' } as never }, '"by" is not a setting'],
  ])('is refused for %s', (_, said, words) => {
    expect(() => readPolicy({ rules: [{ decide: 'allow', ...said }] })).toThrow(words)
  })
})
