import { deepEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import { callDigest, type ToolCall } from '../../../src/approval/tool-call.ts'
import { AssentError } from '../../../src/base/errors.ts'
import { type Entrance, walk } from '../../../src/call/walk.ts'
import type { Answering } from '../../../src/elicitation/answering/answerers.ts'
import type { Answer, Elicitation, ElicitationId } from '../../../src/elicitation/elicitation.ts'
import { type Assent, createAssent } from '../../../src/index.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'
import type { Store } from '../../../src/stores/store.ts'
import { type FixedClock, fixedClock } from '../../../src/testing/fixed-clock.ts'
import { formatKey, makeKey } from '../../../src/vault/keys.ts'
import { readPolicy } from '../policies.ts'
import { aCall } from './a-call.ts'
import { agent, Model, type Move, moves, names, type Rule, requester, rules } from './voting-model.ts'

const ruleCount = 60
const voters = 50
const amounts: Readonly<Record<string, number>> = { v0: 100, v1: 101, v2: 102 }

/** How much is played, and with which choices. */
export interface Played {
  readonly sequences: number
  readonly seed: number
  /** In one of how many sequences fifty people vote at once in the end. */
  readonly crowdEvery: number
}

/** What the sequences came to, so that a test sees that every end was met. */
export interface Ends {
  readonly states: ReadonlySet<string>
  readonly ran: number
  readonly crowds: number
}

/**
 * Plays random votes, edits, delegations, escalations, expiry, lost replies and repeated calls on this store, one question
 * after the other, and compares each with the plain model: a call runs only if so many different people who may say it
 * said yes to exactly these arguments, and then once. Throws where one does not.
 */
export async function playSequences(store: Store, { sequences, seed, crowdEvery }: Played): Promise<Ends> {
  const clock = fixedClock()
  const known = knownRules(seed)
  const policy = { fallback: 'inbox', rules: known.map(settingsOf) }
  const keys = formatKey(makeKey())
  const assent = await createAssent({ store, keys, clock, policy: policy as never, clocks: { tidy: 0 } })
  const states = new Set<string>()
  let [number, ran, crowds] = [0, 0, 0]
  const sequence = fc.tuple(
    fc.nat({ max: known.length - 1 }),
    fc.array(moves, { minLength: 1, maxLength: 12 }),
    fc.nat(),
  )
  try {
    await fc.assert(
      fc.asyncProperty(sequence, async ([rule, played, dice]) => {
        number += 1
        const game = new Game({ assent, clock, rule: known[rule] as Rule, tool: `tool-${rule}`, number })
        const end = await game.play(played, dice, dice % crowdEvery === 0)
        states.add(end.state)
        ran += end.ran
        crowds += Number(end.hadCrowd)
      }),
      { numRuns: sequences, seed },
    )
  } finally {
    await assent.close()
  }
  return { states, ran, crowds }
}

/** Rules that a policy takes. */
function knownRules(seed: number): Rule[] {
  const taken = fc.sample(rules, { numRuns: 1_000, seed }).filter((rule) => {
    try {
      return readPolicy({ rules: [settingsOf(rule, 0)] }).rules.length === 1
    } catch {
      return false
    }
  })
  ok(taken.length >= ruleCount, 'There are enough rules to play by.')
  return taken.slice(0, ruleCount)
}

function settingsOf({ anyOf, quorum, delegate, escalate }: Rule, index: number) {
  return {
    tool: `tool-${index}`,
    decide: 'ask',
    approvers: anyOf,
    quorum,
    editable: ['amount'],
    expires: '60s',
    ...(delegate && { delegate }),
    ...(escalate && { escalate: escalate.map(({ afterMs, to }) => ({ after: `${afterMs / 1_000}s`, to })) }),
  }
}

interface GameParts {
  readonly assent: Assent
  readonly clock: FixedClock
  readonly rule: Rule
  readonly tool: string
  /** Tells the calls of all sequences apart. */
  readonly number: number
}

/** One question, from asking to its end, with everybody who has to do with it. */
class Game {
  readonly #parts: GameParts
  readonly #call: ToolCall
  readonly #sent: ToolCall[] = []
  readonly #entrance: Entrance<string, undefined, never>

  constructor(parts: GameParts) {
    this.#parts = parts
    this.#call = aCall({
      requester: { participant: requester, client: 'client', agents: [agent] },
      tool: parts.tool,
      arguments: { amount: amounts.v0 as number, number: parts.number },
      inputSchema: { type: 'object', properties: { amount: { type: 'number' }, number: { type: 'number' } } },
    })
    this.#entrance = {
      approvals: parts.assent.approvals,
      access: async () => ({ kind: 'ready', credential: undefined }),
      send: async ({ call }) => {
        this.#sent.push(call)
        return { result: 'ran', outcome: 'done' }
      },
      finish: 'now',
    }
  }

  async play(played: readonly Move[], dice: number, hasCrowd: boolean) {
    const { assent, clock, rule } = this.#parts
    const asked = await this.#ask()
    const model = new Model(rule, clock.now().getTime())
    for (const [index, move] of played.entries()) {
      clock.advance(move.afterMs)
      model.play(move, clock.now().getTime())
      await this.#do(asked.id, move)
      // The reply was lost, and the same was sent again.
      if ((dice >> index) % 3 === 0) await this.#do(asked.id, move)
      if ((dice >> index) % 4 === 0) await this.#run(asked.id)
      this.#checkRuns(model)
    }
    const hadCrowd = hasCrowd && (await this.#crowd(asked.id, model))
    await this.#checkRecord(asked.id, model)
    await Promise.all([this.#run(asked.id), this.#run(asked.id)])
    await this.#run(asked.id)
    this.#checkRuns(model)
    equal(this.#sent.length, model.state.startsWith('yes') ? 1 : 0, `It ran ${this.#sent.length} times: ${model.state}`)
    // What is left open would count as open for the requester, who may have so many.
    if (model.state === 'open') await assent.withdraw(asked.id, this.#call.requester, 'over')
    return { state: model.state.replace(/ to .*/, ''), ran: this.#sent.length, hadCrowd }
  }

  async #ask(): Promise<Elicitation> {
    const approval = await this.#parts.assent.approvals.approve({ call: this.#call, walkId: this.#walkId })
    if (approval.kind !== 'question') throw new Error(`It was to ask, and is ${JSON.stringify(approval)}.`)
    return approval.elicitation
  }

  get #walkId() {
    return `walk-${this.#parts.number}`
  }

  #run(question: ElicitationId) {
    return walk<string, undefined, never>(this.#entrance, { call: this.#call, walkId: this.#walkId, question })
  }

  async #do(id: ElicitationId, move: Move): Promise<void> {
    const { assent } = this.#parts
    if (move.kind === 'look') await assent.get(id)
    else if (move.kind === 'withdraw') await assent.withdraw(id, this.#call.requester, 'gone')
    else if (move.kind === 'no') await this.#answer(id, this.#voter(move), { action: 'decline' })
    else if (move.kind === 'hand-on') {
      const content = { choice: 'delegate', delegateTo: move.to }
      await this.#answer(id, this.#voter(move), { action: 'accept', content })
    } else await this.#answer(id, this.#voter(move, move.seen), yes(move.digest))
  }

  #voter({ who, groups }: { readonly who: number; readonly groups: readonly string[] }, seen?: string): Answering {
    const participant = names[who] as ParticipantId
    return { participant, groups, via: 'page', ...(seen !== undefined && { seen: this.#digestOf(seen) }) }
  }

  #digestOf(version: string): string {
    const given = { ...this.#call.arguments, amount: amounts[version] as number }
    return callDigest({ ...this.#call, arguments: given })
  }

  async #answer(id: ElicitationId, answering: Answering, given: Answer): Promise<void> {
    try {
      await this.#parts.assent.answer(id, answering, given)
    } catch (error) {
      // Somebody who was not asked.
      if (!(error instanceof AssentError)) throw error
    }
  }

  /** Fifty people, and the requester with them, say yes at once. True: it settled the question. */
  async #crowd(id: ElicitationId, model: Model): Promise<boolean> {
    const { rule } = this.#parts
    if (model.state !== 'open' || !rule.anyOf.includes('group:one')) return false
    const seen = this.#digestOf(model.digest)
    const all = Array.from({ length: voters }, (_, index) => `voter-${index}@x` as ParticipantId)
    const vote = (participant: ParticipantId) =>
      this.#answer(id, { participant, groups: ['one'], via: 'page', seen }, yes(model.digest))
    await Promise.all([...all, ...all.slice(0, 5), requester, agent].map(vote))
    const { state, voting } = await this.#record(id)
    equal(state.kind, 'answered')
    if (rule.quorum > 1) {
      const people = voting?.votes.map(({ by }) => by) ?? []
      equal(people.length, rule.quorum)
      equal(new Set(people).size, rule.quorum)
      ok(!people.includes(requester) && !people.includes(agent), 'Nobody votes for themselves.')
    }
    model.state = `yes to ${model.digest}`
    return true
  }

  async #record(id: ElicitationId): Promise<Elicitation> {
    const record = await this.#parts.assent.get(id)
    if (record === undefined) throw new Error('The question is gone.')
    return record
  }

  async #checkRecord(id: ElicitationId, model: Model): Promise<void> {
    model.play({ kind: 'look', afterMs: 0 }, this.#parts.clock.now().getTime())
    const { state, voting } = await this.#record(id)
    equal(stateOf(state), model.state.replace(/ to .*/, ''))
    const handed = voting?.delegations.map(({ from, to }) => [from, to]) ?? []
    deepEqual(
      handed,
      model.handed.map(({ from, to }) => [from, to]),
    )
    equal(voting?.escalations.length ?? 0, model.escalated)
  }

  /** What ran is what enough people said yes to. */
  #checkRuns({ state }: Model): void {
    ok(this.#sent.length <= 1, 'A call ran twice.')
    const [sent] = this.#sent
    if (sent === undefined) return
    const [, version] = /^yes to (.*)$/.exec(state) ?? []
    ok(version !== undefined, `A call ran, and the model says: ${state}`)
    equal(sent.arguments.amount, amounts[version])
  }
}

/** A yes to this, as the page of somebody posts it: with every field, changed or not. */
const yes = (version: string): Answer => ({
  action: 'accept',
  content: { choice: 'allow_once', edit_amount: amounts[version] as number },
})

function stateOf(state: Elicitation['state']): string {
  if (state.kind !== 'answered') return state.kind
  return state.answer.action === 'accept' ? 'yes' : 'no'
}
