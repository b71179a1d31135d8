import { mayRun, runsOnly } from '../command/names-commands.ts'
import type { ToolCall } from '../tool-call.ts'
import { globMatcher } from './glob.ts'
import { hintNames, hintsOf } from './hints.ts'
import type { Condition, Effect, RequesterName, Rule } from './policy.ts'
import type { When } from './when/when.ts'

/** The conditions of a rule, ready to be judged, cheapest first. */
export function conditionsOf(rule: Rule, when: When | undefined): Condition[] {
  const conditions: Condition[] = []
  if (rule.server !== undefined) conditions.push(named('server', rule.server))
  if (rule.tool !== undefined) conditions.push(named('tool', rule.tool))
  if (rule.requester !== undefined) conditions.push(askedBy(rule.requester))
  if (rule.agents !== undefined) conditions.push(through(rule.agents))
  if (rule.annotations !== undefined) conditions.push(annotated(rule.annotations))
  if (rule.commands !== undefined) conditions.push(running(rule.commands, rule.decide))
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

/**
 * A rule that allows `git status` must not allow `git status; rm -rf ~`, so an allow wants every command matched, and all of
 * them known for certain. A stricter rule must not be passed by what nobody can read, so there doubt counts as a match.
 */
function running(globs: readonly string[], effect: Effect): Condition {
  const matchers = globs.map(globMatcher)
  const isNamed = (command: string) => matchers.some((matches) => matches(command))
  return {
    name: 'commands',
    holds: ({ arguments: given }) => (effect === 'allow' ? runsOnly(given, isNamed) : mayRun(given, isNamed)),
    because: () => `the commands are not for certain ${globs.join(' or ')}`,
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
