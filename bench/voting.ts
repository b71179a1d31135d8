import { decide } from '../src/approval/policy/decide.ts'
import { subjectOf } from '../src/approval/question/subject.ts'
import type { ToolCall } from '../src/approval/tool-call.ts'
import { type Assent, createAssent, type ParticipantId } from '../src/index.ts'
import { alice, anElicitation, limitedTo } from '../src/testing/index.ts'
import { median, table } from './measure.ts'

const rounds = 7
const clients = 100
const questions = 10_000
const bound = 50
const voter = (name: string) => ({
  participant: `${name}@https://login.example.com` as ParticipantId,
  groups: ['finance'],
})

/** Rules that ask the same people: one without any word on several approvers, which must cost nothing, and two with. */
const rules = [
  { tool: 'plain', decide: 'ask', approvers: ['group:finance'] },
  {
    tool: 'handed',
    decide: 'ask',
    approvers: ['group:finance'],
    delegate: ['group:leads'],
    escalate: [{ after: '5m', to: ['group:leads'] }],
    priority: 'high',
  },
  { tool: 'quorum', decide: 'ask', approvers: ['group:finance'], quorum: 2 },
] as const

/** Where it is measured, and how often in a round. */
export interface VotingPlace {
  readonly name: string
  readonly address: string
  readonly keys: string
  readonly inRound: number
}

/** A question from asking to the approved call, and a page of an inbox with many open questions that have votes. */
export async function benchVoting(places: readonly VotingPlace[]): Promise<void> {
  const rows: (string | number)[][] = []
  const lists: (string | number)[][] = []
  for (const place of places) {
    const { address: store, keys } = place
    const assent = await createAssent({ store, keys, policy: { fallback: 'inbox', rules } })
    try {
      rows.push(await asking(assent, place))
      lists.push(await listing(assent, place))
    } finally {
      await assent.close()
    }
  }
  console.log('A call that is asked about, answered and approved; the same walk by three rules, in one run.\n')
  table(['µs each', 'one yes', 'and delegate, escalate, priority', 'ratio', 'two yeses'], rows)
  console.log(`${questions} open questions of ${clients} clients, each with a vote, in the inbox of one approver.\n`)
  table(['ms', 'first page of the inbox', 'page of one client', 'first 200', `under ${bound}`], lists)
}

async function asking(assent: Assent, { name, inRound }: VotingPlace): Promise<(string | number)[]> {
  const taken: number[][] = rules.map(() => [])
  let number = 0
  for (let round = 0; round < rounds; round++) {
    for (const [index, { tool }] of rules.entries()) {
      const start = performance.now()
      for (let n = 0; n < inRound; n++) await approved(assent, callOf(tool, ++number), `walk-${number}`)
      taken[index]?.push(((performance.now() - start) * 1_000) / inRound)
    }
  }
  const [plain = 0, handed = 0, quorum = 0] = taken.map(median)
  return [name, plain.toFixed(1), handed.toFixed(1), (handed / plain).toFixed(2), quorum.toFixed(1)]
}

async function approved(assent: Assent, call: ToolCall, walkId: string): Promise<void> {
  const asked = await assent.approvals.approve({ call, walkId })
  if (asked.kind !== 'question') throw new Error(`It was to ask, and is ${asked.kind}.`)
  const { id } = asked.elicitation
  for (const who of call.tool === 'quorum' ? ['dave', 'erin'] : ['dave']) {
    const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
    const { kind } = await assent.answer(id, { ...voter(who), via: 'page' }, yes)
    if (kind !== 'kept' && kind !== 'counted') throw new Error(`The yes was not taken: ${kind}.`)
  }
  const { kind } = await assent.approvals.approve({ call, walkId, question: id })
  if (kind !== 'approved') throw new Error(`Expected an approval, but got ${kind}.`)
}

function callOf(tool: string, number: number): ToolCall {
  const requester = { participant: alice, client: `client-${number % clients}` }
  return { requester, server: 'bank', tool, arguments: { number }, definition: 'definition', trusted: false }
}

async function listing(assent: Assent, { name }: VotingPlace): Promise<(string | number)[]> {
  for (let from = 0; from < questions; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => addOpen(assent, from + index)))
  }
  const person = voter('frank')
  const { requesters } = await assent.listRequesters(person, 1)
  const key = requesters[0]?.requester as string
  const works = [
    () => firstPage(assent, person),
    () => assent.listOpenOf(person, key, 20),
    () => assent.listOpen(person, 200),
  ]
  const taken: number[][] = works.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now()
      await work()
      taken[index]?.push(performance.now() - start)
    }
  }
  const times = taken.map(median)
  return [name, ...times.map((ms) => ms.toFixed(2)), times.every((ms) => ms < bound) ? 'yes' : 'NO']
}

/** As `/inbox` reads it: who asks, and the newest of each. */
async function firstPage(assent: Assent, person: ReturnType<typeof voter>): Promise<void> {
  const { total, requesters } = await assent.listRequesters(person, 11)
  if (total !== questions) throw new Error(`Of ${questions} questions ${total} are open.`)
  await Promise.all(requesters.slice(0, 10).map(({ requester }) => assent.listOpenOf(person, requester, 2)))
}

async function addOpen(assent: Assent, number: number): Promise<void> {
  const call = callOf('quorum', number)
  const at = assent.clock.now()
  const vote = { by: voter('dave').participant, choice: 'allow_once', at, via: 'page', digest: 'digest' } as const
  const asked = anElicitation({
    purpose: 'approval',
    requester: call.requester,
    answerers: { anyOf: ['group:finance'], through: 'client', quorum: 2 },
    subject: subjectOf({ call, decision: decide(assent.approvals.policy, call) }),
    createdAt: at,
    expiresAt: new Date(at.getTime() + 3_600_000),
  })
  const { elicitations } = assent.store
  const { kind } = await elicitations.add(asked, limitedTo(questions * 2))
  const voting = { votes: [vote], outdated: [], delegations: [], escalations: [] }
  // Votes are saved after asking: a store need not keep any that come with a new question.
  const isVoted = kind === 'added' && (await elicitations.saveIfUnchanged({ ...asked, version: 2, voting }))
  if (!isVoted) throw new Error(`A question or its vote was not kept: ${kind}.`)
}
