import { deepEqual, equal } from 'node:assert/strict'
import { applyEvent, type Elicitation } from '../../elicitation/elicitation.ts'
import type { ElicitationStore } from '../../elicitation/store.ts'
import { noVoting, type Vote, type Voting } from '../../elicitation/voting/voting.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { requesterKey } from '../../participant/requester.ts'
import { alice, anElicitation, answered, bob, limitedTo } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

const many = 1_000
const at = new Date('2026-01-01T00:01:00.000Z')
const start = new Date('2026-01-01T00:00:00.000Z')
const carol = 'carol@https://login.example.com' as ParticipantId
const ids = (elicitations: readonly Elicitation[]) => elicitations.map(({ id }) => id)
const awkward = 'é 𝄞 \u0000 "by":"bob@https://login.example.com" \\ \n %s $1 ? :a \u202e'

const contractTest = (name: string, run: (store: ElicitationStore) => Promise<void>): ContractTest => ({
  name: `votes: ${name}`,
  run: ({ store }) => run(store.elicitations),
})

async function added(store: ElicitationStore, over: Partial<Elicitation> = {}): Promise<Elicitation> {
  const elicitation = anElicitation({
    requester: { participant: carol, client: 'c' },
    answerers: { anyOf: ['group:finance'], through: 'page', quorum: 2 },
    ...over,
  })
  deepEqual(await store.add(elicitation, limitedTo(many)), { kind: 'added' })
  return elicitation
}

const withVoting = (asked: Elicitation, voting: Partial<Voting>): Elicitation => ({
  ...asked,
  version: asked.version + 1,
  voting: { ...noVoting, ...voting },
})

const voteOf = (by: ParticipantId): Vote => ({ by, choice: 'allow_once', at, via: 'page', digest: 'digest' })

/** Everything that a question can gather. */
const full: Voting = {
  votes: [{ ...voteOf(bob), reason: awkward, part: 1, via: 'passkey' }],
  outdated: [voteOf(alice)],
  delegations: [
    { from: alice, to: 'group:leads', at, via: 'inbox' },
    { from: carol, to: bob, at, via: 'terminal', part: 0 },
  ],
  escalations: [{ to: ['group:leads', bob], at }],
  edit: { by: bob, at, digest: 'edited', content: { edit_at: 5, edit_to: awkward, json_list: '[1]' } },
}

/** What every store must do with the votes, delegations and escalations that an open question gathers. */
export const votingContract: readonly ContractTest[] = [
  contractTest(
    'what was gathered is returned exactly as saved, while it is open and when it is settled',
    async (store) => {
      const asked = await added(store)
      deepEqual(await store.get(asked.id), asked)
      const open = withVoting(asked, full)
      equal(await store.saveIfUnchanged(open), true)
      deepEqual(await store.get(asked.id), open)
      deepEqual(await store.listOpen(['group:finance'], many), [open])
      const settled = answered(open)
      equal(await store.saveIfUnchanged(settled), true)
      deepEqual(await store.get(asked.id), settled)
    },
  ),
  {
    name: 'votes: what was gathered is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const open = withVoting(await added(store.elicitations), full)
      equal(await store.elicitations.saveIfUnchanged(open), true)
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.elicitations.get(open.id), open)
      } finally {
        await reopened.close()
      }
    },
  },
  contractTest('a vote on what has changed meanwhile is not saved', async (store) => {
    const asked = await added(store)
    equal(await store.saveIfUnchanged(withVoting(asked, { votes: [voteOf(bob)] })), true)
    equal(await store.saveIfUnchanged(withVoting(asked, { votes: [voteOf(alice)] })), false)
    deepEqual((await store.get(asked.id))?.voting?.votes, [voteOf(bob)])
  }),
  contractTest('of fifty who vote at once, each is kept once', async (store) => {
    const asked = await added(store)
    const voters = Array.from({ length: 50 }, (_, index) => `voter-${index}@x` as ParticipantId)
    await Promise.all(
      voters.map(async (by) => {
        for (;;) {
          const kept = (await store.get(asked.id)) as Elicitation
          const votes = [...(kept.voting?.votes ?? []), voteOf(by)]
          if (await store.saveIfUnchanged(withVoting(kept, { votes }))) return
        }
      }),
    )
    const kept = await store.get(asked.id)
    deepEqual((kept?.voting?.votes ?? []).map(({ by }) => by).sort(), [...voters].sort())
    equal(kept?.version, 51)
  }),
  contractTest('who is asked later has it in their list from then on, until it is settled', async (store) => {
    const asked = await added(store)
    const names = [alice, bob, 'group:leads'] as const
    for (const name of names) deepEqual(await store.listOpen([name], many), [])
    const open = withVoting(asked, {
      delegations: [{ from: carol, to: alice, at, via: 'page' }],
      escalations: [{ to: ['group:leads', bob], at }],
    })
    equal(await store.saveIfUnchanged(open), true)
    for (const name of ['group:finance', ...names] as const) {
      deepEqual(await store.listOpen([name], many), [open])
      deepEqual(await store.listOpenOf([name], requesterKey(asked.requester), start, many), [open])
      equal((await store.listRequesters([name], start, many)).total, 1)
    }
    // One question, by however many names it is theirs.
    deepEqual(await store.listOpen(['group:finance', ...names], many), [open])
    equal((await store.listRequesters(['group:finance', ...names], start, many)).total, 1)
    equal(await store.saveIfUnchanged(answered(open)), true)
    for (const name of names) deepEqual(await store.listOpen([name], many), [])
  }),
  contractTest('what is to be escalated is listed soonest first, and not when it is done or settled', async (store) => {
    const after = (...minutes: readonly number[]) => ({
      answerers: {
        anyOf: ['group:finance'],
        through: 'page',
        escalate: minutes.map((minute) => ({ afterMs: minute * 60_000, to: [bob] })),
      } as const,
    })
    const [late, soon, settled] = [
      await added(store, after(3, 9)),
      await added(store, after(2)),
      await added(store, after(1)),
    ]
    await added(store)
    const due = async (minute: number) =>
      ids(await store.listEscalating(new Date(start.getTime() + minute * 60_000), many))
    deepEqual(await due(3), ids([settled, soon, late]))
    equal(await store.saveIfUnchanged(answered(settled)), true)
    deepEqual(await due(2), ids([soon]))
    const later = new Date(start.getTime() + 180_000)
    for (const one of [late, soon]) {
      equal(await store.saveIfUnchanged(applyEvent(one, { kind: 'looked-at', at: later })), true)
    }
    deepEqual(await due(8), [])
    deepEqual(await due(9), ids([late]))
  }),
  contractTest('more urgent questions come first, whenever they were asked and expire', async (store) => {
    const all = new Map<string, Elicitation>()
    for (const priority of ['low', 'high', undefined, 'urgent'] as const) {
      const name = priority ?? 'normal'
      const requester = { participant: carol, client: name }
      all.set(name, await added(store, { requester, ...(priority && { priority }) }))
    }
    const order = ['urgent', 'high', 'normal', 'low'].map((name) => all.get(name) as Elicitation)
    deepEqual(await store.listOpen(['group:finance'], many), order)
    deepEqual(ids(await store.listOpen(['group:finance'], many, order[1]?.id)), ids(order.slice(2)))
    const { requesters } = await store.listRequesters(['group:finance'], start, many)
    deepEqual(ids(requesters.map(({ first }) => first)), ids(order))
  }),
  contractTest(
    'forgetting a participant erases their name, and no save that was begun before brings it back',
    async (store) => {
      const asked = await added(store)
      const open = withVoting(asked, {
        ...full,
        votes: [voteOf(bob), voteOf(alice)],
        delegations: [{ from: bob, to: alice, at, via: 'page' }],
        escalations: [],
      })
      equal(await store.saveIfUnchanged(open), true)
      equal(await store.forget(bob), 0)
      equal(await store.saveIfUnchanged({ ...open, version: open.version + 1 }), false)
      const left = (await store.get(asked.id)) as Elicitation
      const { votes, delegations, edit } = left.voting as Voting
      equal(
        [...votes, ...delegations, edit].some((one) => Object.values(one ?? {}).includes(bob)),
        false,
      )
      deepEqual([votes.length, votes[1], delegations.length], [2, voteOf(alice), 1])
      deepEqual(left.state, { kind: 'open' })
    },
  ),
]
