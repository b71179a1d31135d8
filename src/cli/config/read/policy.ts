import type { RuleSettings } from '../../../approval/policy/policy-settings.ts'
import { isPlainObject } from '../../../base/json.ts'
import type { Config } from '../config.ts'
import { defaults } from '../defaults.ts'
import type { Setting } from './setting.ts'

const decisions = ['allow', 'ask', 'deny'] as const

/** Checks the shape only. `approval/` checks what the rules mean. */
export function readPolicyShape(setting: Setting): Config['policy'] {
  if (setting.value === null) setting.say('is empty; write rules, or leave policy out.')
  setting.entries()
  const rules = setting.in('rules').items()
  for (const rule of rules) {
    if (!isPlainObject(rule.value)) rule.wrongKind('write a rule, such as { tool: "read_*", decide: allow }')
    else rule.in('decide').needed('write allow, ask or deny').choice(decisions)
  }
  return {
    ...(isPlainObject(setting.value) ? setting.value : {}),
    mode: setting.in('mode').choice(['enforce', 'watch']) ?? defaults.policy.mode,
    default: setting.in('default').choice(decisions) ?? defaults.policy.default,
    fallback: setting.in('fallback').choice(['inbox', 'deny']) ?? defaults.policy.fallback,
    rules: rules.map(({ value }) => value as RuleSettings),
  }
}
