import { digest } from '../../base/canonical.ts'
import { formatDuration } from '../../base/durations.ts'
import type { Approved, Approving } from '../approval.ts'
import type { ApprovalDesk } from '../desk.ts'
import { ruleOf } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { argumentAt } from '../policy/read/argument-path.ts'
import { approvalIn } from '../question/subject.ts'
import { approvalDigest, type ToolCall } from '../tool-call.ts'
import { toMillionths } from './amount.ts'

/** What one call takes of one limit. */
export interface Portion {
  readonly key: string
  readonly amount: number
  readonly most: number
  readonly until: Date
  /** When the window began in which it counts. */
  readonly since: Date
  /** What the limit is, for people. */
  readonly words: string
  readonly unit: number
}

type Desk = Pick<ApprovalDesk, 'usage' | 'clock' | 'questions'>

const oneDay = 86_400_000

/**
 * The decision about a call whose rule has limits: an allow if it fits, else an ask. What this walk asked about the call
 * stays asked, though a new window may have begun while a person decided.
 */
export async function withinLimits(desk: Desk, approving: Approving, decision: Decision): Promise<Decision> {
  const { call, question, isStarted = false } = approving
  // It was counted when it started, in an earlier round.
  if (decision.limits === undefined || decision.decide !== 'allow' || isStarted) return decision
  const asked = question && (await desk.questions.get(question))
  const about = asked && approvalIn(asked)
  if (about?.decision.why.limited && isSame(about.call, about.decision, call, decision)) {
    return asking(decision, about.decision.why.words)
  }
  const portions = portionsOf(call, decision, desk.clock.now())
  if (typeof portions === 'string') return asking(decision, portions)
  const used = await desk.usage.used(portions.map(({ key }) => key))
  const over = portions.flatMap((portion, index) => {
    const before = used[index] as number
    return before + portion.amount > portion.most ? overWords(portion, before) : []
  })
  return over.length === 0 ? decision : asking(decision, over.join(' '))
}

function isSame(asked: ToolCall, decision: Decision, call: ToolCall, today: Decision): boolean {
  return approvalDigest(asked, ruleOf(decision)) === approvalDigest(call, today.ruleDigest)
}

function asking(decision: Decision, words: string): Decision {
  const { why } = decision
  return { ...decision, decide: 'ask', why: { ...why, words, limited: true } }
}

/**
 * Takes what a call that policy allows needs of the limits of its rule, all or nothing. Undefined: another call took it
 * meanwhile, and the call must be decided again.
 */
export async function takeLimits(
  desk: Desk,
  { call, decision, grant }: Pick<Approved, 'call' | 'decision' | 'grant'>,
  isStarted = false,
): Promise<readonly Portion[] | undefined> {
  if (decision.limits === undefined || decision.decide !== 'allow' || grant !== undefined || isStarted) return []
  const portions = portionsOf(call, decision, desk.clock.now())
  if (typeof portions === 'string') return undefined
  const taken: Portion[] = []
  for (const portion of portions) {
    const { key, amount, most, until } = portion
    if (!(await desk.usage.take(key, amount, most, until))) {
      await giveBack(desk, taken)
      return undefined
    }
    taken.push(portion)
  }
  return taken
}

/** Gives back what was taken for a call that was surely not sent. */
export async function giveBack({ usage }: Pick<Desk, 'usage'>, portions: readonly Portion[]): Promise<void> {
  for (const { key, amount } of portions) await usage.giveBack(key, amount)
}

/** What a call takes of each limit of its rule; or, in words, why that cannot be counted. */
function portionsOf({ arguments: given, requester }: ToolCall, decision: Decision, now: Date): Portion[] | string {
  const { limits, why } = decision
  const portions: Portion[] = []
  if (limits === undefined) return portions
  const { limit, budget } = limits
  // By person: what a client calls itself, or how many of them there are, must not open another window.
  const windowOf = (kind: string, perMs: number) => {
    const since = Math.floor(now.getTime() / perMs) * perMs
    return {
      key: digest(['usage', limits.key, kind, perMs, requester.participant, since]),
      since: new Date(since),
      // A day longer, so that it still counts by a clock that is late.
      until: new Date(since + perMs + oneDay),
    }
  }
  if (limit !== undefined) {
    const words = `Rule ${why.rule} lets ${limit.calls} calls run in ${formatDuration(limit.perMs)} without asking`
    portions.push({ ...windowOf('calls', limit.perMs), amount: 1, most: limit.calls, words, unit: 1 })
  }
  if (budget !== undefined) {
    const amount = toMillionths(argumentAt(given, budget.of))
    if (amount === undefined) {
      return `Rule ${why.rule} counts ${budget.of}, and this call has no number there that can be counted.`
    }
    const words = `Rule ${why.rule} lets ${budget.of} add up to ${budget.max} in ${formatDuration(budget.perMs)} without asking`
    const most = toMillionths(budget.max) as number
    portions.push({ ...windowOf(budget.of, budget.perMs), amount, most, words, unit: 1e6 })
  }
  return portions
}

function overWords({ words, most, since, unit }: Portion, used: number): string {
  const moment = `${since.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${words}, and ${used / unit} of ${most / unit} is used since ${moment}.`
}
