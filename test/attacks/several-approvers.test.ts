import { describe, expect, test } from 'vitest'
import type { Answered } from '../../src/elicitation/answering/answered.ts'
import { applyEvent } from '../../src/elicitation/elicitation.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { anUpstream, asks, audited } from '../support/approval/approving.ts'
import { asking, handOn, person, transfer, vote } from '../support/approval/voting.ts'
import { anAssent, everyAssent, getExisting } from '../support/assents.ts'

const two = { approvers: ['group:finance'], quorum: 2 }

const refusedWith = (answered: Answered, words: string) => {
  expect(answered.kind).toBe('invalid')
  expect(JSON.stringify(answered)).toContain(words)
}

describe.each(everyAssent)('on $name', ({ assent: fresh }) => {
  test('attack: the requester votes twice, through two browsers', async () => {
    const assent = await fresh({ policy: asking(two) })
    const upstream = anUpstream(assent)
    const asked = await asks(assent, transfer(100))
    refusedWith(await vote(assent, asked, 'carol'), 'your own yes does not count')
    refusedWith(await vote(assent, asked, 'carol'), 'your own yes does not count')
    expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'counted' })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toEqual([])
  })

  test('attack: one person votes in three groups, and through three browsers', async () => {
    const policy = asking({ approvers: ['group:a', 'group:b', 'group:c', person('dave')], quorum: 2 })
    const assent = await fresh({ policy })
    const upstream = anUpstream(assent)
    const asked = await asks(assent, transfer(100))
    for (const groups of [['a'], ['b'], ['a', 'b', 'c'], []]) {
      expect(await vote(assent, asked, 'dave', {}, groups)).toMatchObject({ kind: 'counted' })
    }
    expect((await getExisting(assent, asked.id)).voting?.votes).toHaveLength(1)
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toEqual([])
    expect(await vote(assent, asked, 'erin', {}, ['b'])).toMatchObject({ kind: 'kept' })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toHaveLength(1)
  })

  test('attack: fifty people say yes at once, and the call runs once', async () => {
    const assent = await fresh({ policy: asking({ approvers: ['group:finance'], quorum: 3 }) })
    const upstream = anUpstream(assent)
    const asked = await asks(assent, transfer(100))
    const said = await Promise.all(Array.from({ length: 50 }, (_, one) => vote(assent, asked, `voter-${one}`)))
    const kinds = said.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'kept')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'counted').length).toBeLessThanOrEqual(2)
    const { voting } = await getExisting(assent, asked.id)
    expect(new Set(voting?.votes.map(({ by }) => by)).size).toBe(3)
    await Promise.all(Array.from({ length: 10 }, (_, walk) => upstream.run(transfer(100), `walk-${walk}`, asked.id)))
    expect(upstream.sent).toHaveLength(1)
  })

  test('attack: an edit is slipped in after the first of two votes', async () => {
    const assent = await fresh({ policy: asking({ ...two, editable: ['amount'] }) })
    const upstream = anUpstream(assent)
    const asked = await asks(assent, transfer(100))
    expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'counted' })
    expect(await vote(assent, asked, 'erin', { edit_amount: 900_000 })).toMatchObject({ kind: 'counted' })
    const { voting } = await getExisting(assent, asked.id)
    expect(voting).toMatchObject({ votes: [{ by: person('erin') }], outdated: [{ by: person('dave') }] })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toEqual([])
    // Dave sees what it is now, and says yes to that.
    expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'kept' })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent.map((call) => call.arguments.amount)).toEqual([900_000])
  })

  test('attack: a vote is replayed for other arguments', async () => {
    const assent = await fresh({ policy: asking({ ...two, editable: ['amount'] }) })
    const asked = await asks(assent, transfer(100))
    await vote(assent, asked, 'erin', { edit_amount: 500 })
    // As posted by a page that was opened before the edit.
    const stale = { participant: person('dave'), groups: ['finance'], via: 'page' } as const
    const content = { choice: 'allow_once', edit_amount: 100 }
    refusedWith(await assent.answer(asked.id, stale, { action: 'accept', content }), 'changed since you opened')
    expect((await getExisting(assent, asked.id)).voting?.votes.map(({ by }) => by)).toEqual([person('erin')])
    // A yes for one transfer says nothing of another.
    const other = await asks(assent, transfer(700), 'walk-2')
    expect(other.id).not.toBe(asked.id)
    expect(other.voting).toBeUndefined()
  })

  test('attack: somebody votes, has themselves forgotten, and votes again', async () => {
    const assent = await fresh({ policy: asking({ ...two, delegate: true }) })
    const upstream = anUpstream(assent)
    const asked = await asks(assent, transfer(100))
    expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'counted' })
    await assent.forget(person('dave'))
    // What he said before is nobody's now.
    expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'counted' })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toEqual([])
    expect(await vote(assent, asked, 'erin')).toMatchObject({ kind: 'kept' })
    await upstream.run(transfer(100), 'walk-1', asked.id)
    expect(upstream.sent).toHaveLength(1)
  })

  test('attack: somebody hands it on, has themselves forgotten, and votes beside the one who got it', async () => {
    const policy = asking({ approvers: [person('dave'), person('gina')], quorum: 2, delegate: true })
    const assent = await fresh({ policy })
    const upstream = anUpstream(assent)
    const [voted, waits] = [await asks(assent, transfer(100)), await asks(assent, transfer(200), 'walk-2')]
    for (const asked of [voted, waits]) await handOn(assent, asked, 'dave', person('frank'), [])
    expect(await vote(assent, voted, 'frank', {}, [])).toMatchObject({ kind: 'counted' })
    await assent.forget(person('dave'))
    expect(await vote(assent, voted, 'dave', {}, [])).toMatchObject({ kind: 'counted' })
    await upstream.run(transfer(100), 'walk-1', voted.id)
    // Frank had his part from dave, and it is dave's again.
    await expect(vote(assent, waits, 'frank', {}, [])).rejects.toThrow('asked of someone else')
    expect(upstream.sent).toEqual([])
    expect(await vote(assent, voted, 'gina', {}, [])).toMatchObject({ kind: 'kept' })
    await upstream.run(transfer(100), 'walk-1', voted.id)
    expect(upstream.sent).toHaveLength(1)
  })

  test('attack: two instances escalate at the same moment', async () => {
    const clock = fixedClock()
    const policy = asking({ approvers: ['group:finance'], escalate: [{ after: '5m', to: 'group:leads' }] })
    const one = await fresh({ policy, clock })
    const other = await anAssent({ policy, clock, store: sharing(one.store) })
    const asked = await asks(one, transfer(100))
    clock.advance(300_000)
    await Promise.all([one.tidy(), other.tidy(), one.get(asked.id), other.get(asked.id)])
    const { voting, state } = await getExisting(one, asked.id)
    expect(voting?.escalations).toHaveLength(1)
    expect(state.kind).toBe('open')
    expect((await one.listOpen({ participant: person('lea'), groups: ['leads'] }, 10)).map(({ id }) => id)).toEqual([
      asked.id,
    ])
    const told = await audited(one, 'question-escalated', 'change-late')
    const late = told.filter(({ kind }) => kind === 'change-late').length
    expect(told.filter(({ kind }) => kind === 'question-escalated').length - late).toBe(1)
  })
})

/** The same store for a second Assent, which must not close it. */
const sharing = <T extends { close(): Promise<void> }>(store: T): T => ({ ...store, close: async () => {} })

const handedOn = { approvers: ['group:finance'], delegate: true }

test('attack: an approver hands it to the requester, and to an agent of the requester', async () => {
  const assent = await anAssent({ policy: asking(handedOn) })
  const asked = await asks(assent, transfer(100, ['agent-a@x', 'agent-b@x']))
  for (const to of [person('carol'), 'agent-a@x', 'agent-b@x']) {
    refusedWith(await handOn(assent, asked, 'dave', to), 'nor to an agent that acts for them')
  }
  // Through a group that the requester is in, it does not come to them either.
  expect(await handOn(assent, asked, 'dave', 'group:everybody')).toMatchObject({ kind: 'delegated' })
  await expect(vote(assent, asked, 'carol', {}, ['everybody'])).rejects.toThrow('asked of someone else')
  expect(await vote(assent, asked, 'erin', {}, ['everybody'])).toMatchObject({ kind: 'kept' })
})

test('attack: a question is handed on in a circle, and for ever', async () => {
  const assent = await anAssent({ policy: asking({ approvers: [person('p0')], delegate: true }) })
  const asked = await asks(assent, transfer(100))
  expect(await handOn(assent, asked, 'p0', person('p1'))).toMatchObject({ kind: 'delegated' })
  refusedWith(await handOn(assent, asked, 'p1', person('p0')), 'handed back')
  refusedWith(await handOn(assent, asked, 'p1', person('p1')), 'handed back')
  for (let from = 1; from < 5; from += 1) {
    expect(await handOn(assent, asked, `p${from}`, person(`p${from + 1}`))).toMatchObject({ kind: 'delegated' })
  }
  refusedWith(await handOn(assent, asked, 'p5', person('p6')), 'handed on 5 times')
  await expect(vote(assent, asked, 'p2', {}, [])).rejects.toThrow('asked of someone else')
  expect(await vote(assent, asked, 'p5', {}, [])).toMatchObject({ kind: 'kept' })
})

test('attack: an approver adds an argument, and the next one empties it and says yes', async () => {
  const call = transfer(100)
  const properties = { amount: { type: 'number' }, to: { type: 'string' }, note: { type: 'string' } }
  const noted = { ...call, inputSchema: { type: 'object', properties, required: ['amount', 'to'] } }
  const assent = await anAssent({ policy: asking({ ...two, editable: ['amount', 'note'] }) })
  const upstream = anUpstream(assent)
  const asked = await asks(assent, noted)
  expect(await vote(assent, asked, 'erin', { edit_note: 'Also pay Mallory.' })).toMatchObject({ kind: 'counted' })
  const { voting } = await getExisting(assent, asked.id)
  const dave = {
    participant: person('dave'),
    groups: ['finance'],
    via: 'page',
    seen: voting?.edit?.digest as string,
  } as const
  // As the page posts it whose field was emptied. It must not count as a yes to the note.
  const content = { choice: 'allow_once', edit_amount: 100 }
  const answered = await assent.answer(asked.id, dave, { action: 'accept', content })
  expect(answered).toMatchObject({ kind: 'invalid', errors: [{ field: 'edit_note' }] })
  await upstream.run(noted, 'walk-1', asked.id)
  expect(upstream.sent).toEqual([])
  expect(await vote(assent, asked, 'dave')).toMatchObject({ kind: 'kept' })
})

test('attack: one vote, handed to a group, becomes two', async () => {
  const policy = asking({ approvers: [person('dave'), person('frank')], quorum: 2, delegate: ['group:leads'] })
  const assent = await anAssent({ policy })
  const asked = await asks(assent, transfer(100))
  await handOn(assent, asked, 'dave', 'group:leads')
  expect(await vote(assent, asked, 'lea', {}, ['leads'])).toMatchObject({ kind: 'counted' })
  refusedWith(await vote(assent, asked, 'leo', {}, ['leads']), 'it is one vote')
  expect(await vote(assent, asked, 'frank', {}, [])).toMatchObject({ kind: 'kept' })
})

test('attack: a delegate says more than the delegator could have: for longer, by a client, for somebody not allowed', async () => {
  const assent = await anAssent({
    policy: asking({ approvers: [person('dave')], delegate: ['group:leads'], answer: 'page' }),
  })
  const asked = await asks(assent, transfer(100))
  refusedWith(await handOn(assent, asked, 'dave', 'group:everybody'), 'does not let this question be handed to them')
  await handOn(assent, asked, 'dave', person('lea'))
  // Named, but in no group that the rule allows.
  await expect(vote(assent, asked, 'lea', {}, [])).rejects.toThrow('asked of someone else')
  const lasting = { choice: 'always_allow/tool/hour/this' }
  refusedWith(await vote(assent, asked, 'lea', lasting, ['leads']), 'once only')
  const byClient = { participant: person('lea'), groups: ['leads'], via: 'client', client: 'claude-code' } as const
  const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
  await expect(assent.answer(asked.id, byClient, yes)).rejects.toThrow('asked through another client')
  expect(await vote(assent, asked, 'lea', {}, ['leads'])).toMatchObject({ kind: 'kept' })
})

test('an approver who leaves the group between vote and settlement: what counts is the moment of the vote', async () => {
  const assent = await anAssent({ policy: asking(two) })
  const upstream = anUpstream(assent)
  const asked = await asks(assent, transfer(100))
  expect(await vote(assent, asked, 'dave', {}, ['finance'])).toMatchObject({ kind: 'counted' })
  // From here on dave is in no group: he can say nothing more, and what he said stands.
  await expect(vote(assent, asked, 'dave', 'deny', [])).rejects.toThrow('asked of someone else')
  expect(await vote(assent, asked, 'erin')).toMatchObject({ kind: 'kept' })
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent).toHaveLength(1)
})

test('attack: a process of an older version settles it with one yes', async () => {
  const store = openMemoryStore()
  const assent = await anAssent({ policy: asking(two), store })
  const upstream = anUpstream(assent)
  const asked = await asks(assent, transfer(100))
  // As a version without votes does it: any accept of one who is asked settles.
  const by = { participant: person('dave'), via: 'page' } as const
  const answer = { action: 'accept', content: { choice: 'allow_once' } } as const
  const settled = applyEvent(asked, { kind: 'answered', answer, by, at: assent.clock.now() })
  expect(await store.elicitations.saveIfUnchanged(settled)).toBe(true)
  expect(await upstream.run(transfer(100), 'walk-1', asked.id)).toMatchObject({ kind: 'refused', reason: 'no-quorum' })
  expect(upstream.sent).toEqual([])
})

test('any no ends it, whoever said yes before', async () => {
  const assent = await anAssent({ policy: asking({ approvers: ['group:finance'], quorum: 3 }) })
  const asked = await asks(assent, transfer(100))
  await vote(assent, asked, 'dave')
  await vote(assent, asked, 'erin')
  expect(await vote(assent, asked, 'frank', 'deny')).toMatchObject({ kind: 'kept' })
  expect(await vote(assent, asked, 'gina')).toMatchObject({ kind: 'late' })
  expect((await audited(assent, 'vote-cast')).map(({ data }) => data.choice)).toEqual([
    'allow_once',
    'allow_once',
    'deny',
  ])
})
