import { digest } from '../../base/canonical.ts'
import { BadPolicy } from './bad-policy.ts'
import { conditionsOf } from './conditions.ts'
import type { Packs } from './packs/pack.ts'
import { readPacks } from './packs/read-packs.ts'
import type { Policy, ReadyRule, Rule, RuleLimits } from './policy.ts'
import { policySettings } from './policy-settings.ts'
import { type CompileWhen, effects, type ReadRule, readRule } from './read-rule.ts'
import { Reading, type Settings } from './reading.ts'

const mostRules = 1_000

/** What holds where the policy says nothing; the gateway's fallback is the inbox, the library's is to deny. */
export interface PolicyDefaults {
  readonly fallback: Policy['fallback']
}

/** Parses a policy of unknown origin. Throws `BadPolicy` with all that is wrong: a half-valid policy never comes out. */
export function parsePolicy(
  input: unknown,
  compile: CompileWhen,
  defaults: PolicyDefaults = { fallback: 'inbox' },
  packs: Packs = {},
): Policy {
  const reading = new Reading()
  const settings = reading.settings(input, [], Object.keys(policySettings))
  const mode = settings.oneOf('mode', ['enforce', 'watch']) ?? 'enforce'
  const byDefault = settings.oneOf('default', effects) ?? 'ask'
  const fallback = settings.oneOf('fallback', ['inbox', 'deny']) ?? defaults.fallback
  const own = readRules(settings, reading, compile)
  const packed = readPacks(settings, reading, packs).map(({ pack, rule, path }) => ({
    ...readRule(rule, path, reading, compile),
    pack,
  }))
  const rules: PlacedRule[] = [...own, ...packed]

  const [first, ...others] = reading.problems
  if (first !== undefined) throw new BadPolicy([first, ...others])
  return Object.freeze({
    mode,
    default: byDefault,
    fallback,
    rules: rules.map(ready),
    defaultDigest: digest(['default', byDefault]),
    digest: digest(['policy', mode, byDefault, fallback, rules.map(({ rule }) => rule)]),
  })
}

function readRules(settings: Settings, reading: Reading, compile: CompileWhen): ReadRule[] {
  const rules = settings.read('rules', (value, path) => {
    if (!Array.isArray(value)) return settings.report('rules', 'This must be a list of rules.')
    if (value.length > mostRules) return settings.report('rules', `There may be at most ${mostRules} rules.`)
    return value.map((rule, index) => readRule(rule, [...path, index], reading, compile))
  })
  return rules ?? []
}

/** A rule, and the pack that it comes from, if it comes from one. */
interface PlacedRule extends ReadRule {
  readonly pack?: string
}

/** What a rule counts, whatever its limits are. */
function limitsOf({
  limit,
  budget,
  server,
  tool,
  annotations,
  requester,
  agents,
  commands,
  when,
}: Rule): RuleLimits | undefined {
  if (limit === undefined && budget === undefined) return undefined
  const key = digest(['limits', { server, tool, annotations, requester, agents, commands, when }])
  return Object.freeze({ ...(limit && { limit }), ...(budget && { budget }), key })
}

function ready({ rule, when, pack }: PlacedRule, index: number): ReadyRule {
  const limits = limitsOf(rule)
  return Object.freeze({
    rule,
    ...(limits !== undefined && { limits }),
    ...(pack !== undefined && { pack }),
    number: index + 1,
    digest: digest(['rule', rule]),
    hearsay: rule.annotations !== undefined || when?.readsAnnotations === true,
    conditions: conditionsOf(rule, when),
  })
}
