import { formatDuration } from '../../../base/durations.ts'
import { isPlainObject } from '../../../base/json.ts'
import type { Answerer, EscalationStep } from '../../../elicitation/answering/answerers.ts'
import { isGroup } from '../../../elicitation/answering/answerers.ts'
import { defaultLimits } from '../../../elicitation/limits.ts'
import type { PolicyPath } from '../bad-policy.ts'
import type { Rule } from '../policy.ts'
import type { Reading, Settings } from '../reading.ts'

/** How many people a rule may ask for. */
export const mostVotes = 100
const mostEscalations = 10

type ProblemWith = (name: string) => string | undefined

/** To whom an approver may hand a question on: names, or `true` for anybody who can be asked. */
export function readDelegate(settings: Settings, problemWith: ProblemWith): Rule['delegate'] {
  return settings.read('delegate', (value) => {
    if (value === true) return true
    if (typeof value === 'boolean') return settings.report('delegate', 'Write true, or names. Leave it out for nobody.')
    return settings.texts<Answerer>('delegate', problemWith)
  })
}

/** Who is asked too when nobody has decided in time, soonest first. */
export function readEscalate(
  settings: Settings,
  reading: Reading,
  problemWith: ProblemWith,
): readonly EscalationStep[] | undefined {
  return settings.read('escalate', (value, path) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > mostEscalations) {
      return settings.report('escalate', `This must be a list of 1 to ${mostEscalations} steps { after, to }.`)
    }
    const steps = value.map((step, index) => readStep(step, [...path, index], reading, problemWith))
    return Object.freeze(steps.toSorted((one, other) => one.afterMs - other.afterMs))
  })
}

function readStep(value: unknown, path: PolicyPath, reading: Reading, problemWith: ProblemWith): EscalationStep {
  const settings = reading.settings(value, path, ['after', 'to'])
  for (const name of ['after', 'to']) {
    if (isPlainObject(value) && !settings.has(name)) settings.report(name, `Every step must say "${name}".`)
  }
  const afterMs = settings.duration('after', defaultLimits.longestMs) ?? 0
  return Object.freeze({ afterMs, to: settings.texts<Answerer>('to', problemWith) ?? [] })
}

/** A quorum that nobody could reach, and escalations and delegations that would reach nobody. */
export function reportUnreachable(settings: Settings, rule: Rule): void {
  reportQuorum(settings, rule)
  reportEscalations(settings, rule)
  const { approvers, delegate } = rule
  if (delegate === undefined || delegate === true || approvers === undefined) return
  if (delegate.every((name) => approvers.includes(name) && !isGroup(name))) {
    settings.report('delegate', 'Everybody named here is an approver already, so there is nobody to hand it on to.')
  }
}

function reportQuorum(settings: Settings, rule: Rule): void {
  const { quorum = 1, approvers, requester = [] } = rule
  if (quorum === 1) return
  if (approvers === undefined) {
    settings.report('quorum', 'Without approvers only the requester is asked. Name the approvers.')
    return
  }
  const people = peopleOf(rule)
  if (people === undefined) return
  const most = people.size
  if (most < quorum) settings.report('quorum', `It cannot be reached: ${quorum} people must say yes, and ${most} can.`)
  else if (most === quorum) {
    const own = requester.filter((name) => people.has(name as Answerer))
    if (own.length > 0) {
      const words = `It cannot be reached by calls of ${own.join(', ')}: a requester's own yes does not count.`
      settings.report('quorum', words)
    }
  }
}

/** All who may be asked in the end, by name; undefined where a group makes it unknown. */
function peopleOf({ approvers = [], escalate = [] }: Pick<Rule, 'approvers' | 'escalate'>) {
  const names = [...approvers, ...escalate.flatMap(({ to }) => to)]
  return names.some(isGroup) ? undefined : new Set<Answerer>(names)
}

function reportEscalations(settings: Settings, { approvers = [], escalate = [], expiresMs }: Rule): void {
  const asked = new Set<Answerer>(approvers)
  for (const { afterMs, to } of escalate) {
    if (expiresMs !== undefined && afterMs >= expiresMs) {
      const words = `The question expires after ${formatDuration(expiresMs)}, before the step after ${formatDuration(afterMs)}.`
      settings.report('escalate', words)
    }
    if (to.length > 0 && to.every((name) => asked.has(name))) {
      settings.report('escalate', `The step after ${formatDuration(afterMs)} adds nobody who is not asked already.`)
    }
    for (const name of to) asked.add(name)
  }
}
