import type { ToolCall } from '../tool-call.ts'
import { globMatcher } from './glob.ts'
import { hintNames, hintsOf } from './hints.ts'
import type { Condition, RequesterName, Rule } from './policy.ts'
import type { When } from './when/when.ts'

/** The conditions of a rule, ready to be judged, cheapest first. */
export function conditionsOf(rule: Rule, when: When | undefined): Condition[] {
  const conditions: Condition[] = []
  if (rule.server !== undefined) conditions.push(named('server', rule.server))
  if (rule.tool !== undefined) conditions.push(named('tool', rule.tool))
  if (rule.requester !== undefined) conditions.push(askedBy(rule.requester))
  if (rule.agents !== undefined) conditions.push(through(rule.agents))
  if (rule.annotations !== undefined) conditions.push(annotated(rule.annotations))
  if (when !== undefined) conditions.push(fulfilling(when))
  return conditions
}

function named(name: 'server' | 'tool', globs: readonly string[]): Condition {
  const matchers = globs.map(globMatcher)
  return {
    name,
    holds: (call) => matchers.some((matches) => matches(call[name])),
    because: (call) => `the ${name} is ${call[name]}, not ${globs.join(' or ')}`,
  }
}

function askedBy(names: readonly RequesterName[]): Condition {
  const anyOf = new Set<string>(names)
  return {
    name: 'requester',
    holds: ({ requester, groups = [] }) =>
      anyOf.has(requester.participant) ||
      anyOf.has(`client:${requester.client}`) ||
      groups.some((group) => anyOf.has(`group:${group}`)),
    because: () => `the requester is not ${names.join(' or ')}`,
  }
}

/** Only agents that Assent verified are looked at: a client's own name is none. */
function through(globs: readonly string[]): Condition {
  const matchers = globs.map(globMatcher)
  return {
    name: 'agents',
    holds: ({ requester: { agents = [] } }) => agents.some((agent) => matchers.some((matches) => matches(agent))),
    because: () => `it comes through no agent ${globs.join(' or ')}`,
  }
}

function annotated(wanted: NonNullable<Rule['annotations']>): Condition {
  const differs = (call: ToolCall) => {
    const hints = hintsOf(call.annotations)
    return hintNames.find((name) => wanted[name] !== undefined && wanted[name] !== hints[name])
  }
  return {
    name: 'annotations',
    holds: (call) => differs(call) === undefined,
    because: (call) => `${differs(call)} is not ${wanted[differs(call) as keyof typeof wanted]}`,
  }
}

function fulfilling(when: When): Condition {
  return {
    name: 'when',
    holds(call) {
      const judged = when.judge(call)
      // What is merely truthy is no yes.
      return typeof judged === 'boolean' ? judged : 'failed'
    },
    because(call) {
      const judged = when.judge(call)
      return typeof judged === 'boolean' ? 'the condition is false' : `the condition cannot be judged: ${judged.failed}`
    },
  }
}
