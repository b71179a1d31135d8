import fc from 'fast-check'
import type { Answerer } from '../../../src/elicitation/answering/answerers.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'

/** When a question is asked, and how long it is open. */
export const start = Date.UTC(2026, 0, 1)
export const lifeMs = 60_000

/** Everybody there is: the requester first, an agent that acts for them last. */
export const names = ['ann', 'ben', 'cat', 'dan', 'eve'].map((name) => `${name}@x` as ParticipantId)
export const requester = names[0] as ParticipantId
export const agent = names[4] as ParticipantId
const groups = ['one', 'two'] as const

/** Who decides a question, as a rule says it. */
export interface Rule {
  readonly anyOf: readonly Answerer[]
  readonly quorum: number
  readonly delegate?: readonly Answerer[] | true
  readonly escalate?: readonly { readonly afterMs: number; readonly to: readonly Answerer[] }[]
}

/** Something that happens to a question. `digest` is what a yes would let run, `seen` what the voter was shown. */
export type Move =
  | { kind: 'yes'; who: number; groups: readonly string[]; seen: string; digest: string; afterMs: number }
  | { kind: 'no'; who: number; groups: readonly string[]; afterMs: number }
  | { kind: 'hand-on'; who: number; groups: readonly string[]; to: Answerer; afterMs: number }
  | { kind: 'look'; afterMs: number }
  | { kind: 'withdraw'; afterMs: number }

/** The rules of votes in the plainest way, over what happened so far, with no care for speed. */
export class Model {
  state = 'open'
  digest = 'v0'
  yes: { who: string; part: number | undefined }[] = []
  handed: { from: string; to: string; part: number | undefined }[] = []
  escalated = 0
  rule: Rule
  askedAt: number

  constructor(rule: Rule, askedAt = start) {
    this.rule = rule
    this.askedAt = askedAt
  }

  play(move: Move, at: number): void {
    if (this.state !== 'open') return
    if (at >= this.askedAt + lifeMs + 30_000) {
      this.state = 'expired'
      return
    }
    const steps = this.rule.escalate ?? []
    while (this.escalated < steps.length && at >= this.askedAt + (steps[this.escalated]?.afterMs ?? 0))
      this.escalated += 1
    if (move.kind === 'look') return
    if (move.kind === 'withdraw') this.state = 'withdrawn'
    else {
      const name = names[move.who] as string
      const part = this.partOf(name, move.groups)
      if (part === undefined) return
      if (move.kind === 'no') this.state = 'no'
      else if (move.kind === 'hand-on') this.handOn(name, part, move.to)
      else this.vote(name, part, move.seen, move.digest)
    }
  }

  /** `own`, the number of a delegation, or undefined: none. */
  partOf(name: string, theirs: readonly string[]): 'own' | number | undefined {
    if (this.handed.some(({ from }) => from === name)) return undefined
    const are = (listed: string) => listed === name || theirs.some((group) => listed === `group:${group}`)
    const isTheirs = name === requester || name === agent
    const escalated = (this.rule.escalate ?? []).slice(0, this.escalated).flatMap(({ to }) => to)
    if (this.rule.anyOf.some(are) || (!isTheirs && escalated.some(are))) return 'own'
    if (isTheirs) return undefined
    const { delegate } = this.rule
    if (delegate !== true && !(delegate ?? []).some(are)) return undefined
    const found = this.handed.findIndex(({ to }, index) => are(to) && !this.handed.some(({ part }) => part === index))
    return found < 0 ? undefined : found
  }

  vote(name: string, part: 'own' | number, seen: string, digest: string): void {
    if (this.rule.quorum > 1 && (name === requester || name === agent)) return
    if (seen !== this.digest) return
    if (digest === this.digest) {
      if (this.yes.some(({ who }) => who === name)) return
      if (part !== 'own' && this.yes.some((one) => one.part === part)) return
    } else {
      this.digest = digest
      this.yes = []
    }
    this.yes.push({ who: name, part: part === 'own' ? undefined : part })
    if (this.yes.length >= this.rule.quorum) this.state = `yes to ${this.digest}`
  }

  handOn(name: string, part: 'own' | number, to: string): void {
    const { delegate, anyOf, escalate = [] } = this.rule
    if (delegate === undefined || this.yes.some(({ who }) => who === name)) return
    if (part !== 'own' && this.yes.some((one) => one.part === part)) return
    let times = 0
    for (let at = part === 'own' ? undefined : part; at !== undefined; at = this.handed[at]?.part) times += 1
    if (times >= 5) return
    if (to === requester || to === agent || to === name || this.handed.some(({ from }) => from === to)) return
    const held = this.handed.filter((_, index) => !this.handed.some((one) => one.part === index))
    const asked = [...anyOf, ...escalate.slice(0, this.escalated).flatMap((step) => step.to)] as string[]
    if (asked.includes(to) || held.some((one) => one.to === to)) return
    const hasGroup = delegate !== true && delegate.some((one) => one.startsWith('group:'))
    const isAllowed = delegate === true || delegate.includes(to as Answerer) || (hasGroup && !to.startsWith('group:'))
    if (isAllowed) this.handed.push({ from: name, to, part: part === 'own' ? undefined : part })
  }
}

const answerer = fc.constantFrom<Answerer>(...names, 'group:one', 'group:two')
const someone = fc.record({
  who: fc.nat({ max: names.length - 1 }),
  groups: fc.subarray([...groups]),
  afterMs: fc.constantFrom(0, 1_000, 5_000, 20_000),
})
const version = fc.constantFrom('v0', 'v1', 'v2')
/** Anything that people do, in any order. */
export const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(someone, version).map(([by, seen]) => ({ ...by, kind: 'yes', seen, digest: seen })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(someone, version, version).map(([by, seen, digest]) => ({ ...by, kind: 'yes', seen, digest })),
  },
  { weight: 4, arbitrary: fc.tuple(someone, answerer).map(([by, to]) => ({ ...by, kind: 'hand-on', to })) },
  { weight: 1, arbitrary: someone.map((by) => ({ ...by, kind: 'no' })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look'), afterMs: fc.constantFrom(1_000, 20_000, 50_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw'), afterMs: fc.constant(0) }) },
) as fc.Arbitrary<Move>

/** Rules of every kind, also such that a policy would refuse. */
export const rules: fc.Arbitrary<Rule> = fc.record(
  {
    anyOf: fc.uniqueArray(answerer, { minLength: 1, maxLength: 3 }),
    quorum: fc.integer({ min: 1, max: 3 }),
    delegate: fc.oneof(fc.constant(true as const), fc.uniqueArray(answerer, { minLength: 1, maxLength: 3 })),
    escalate: fc.constantFrom(
      [{ afterMs: 5_000, to: ['group:two' as const] }],
      [
        { afterMs: 1_000, to: [names[3] as ParticipantId] },
        { afterMs: 20_000, to: ['group:one' as const, requester] },
      ],
    ),
  },
  { requiredKeys: ['anyOf', 'quorum'] },
)
