import { packs } from '../../src/approval/policy/packs/packs.ts'
import { type PolicyDefaults, parsePolicy } from '../../src/approval/policy/parse-policy.ts'
import type { Policy } from '../../src/approval/policy/policy.ts'
import { compileWhen } from '../../src/approval/policy/when/when.ts'

/** A policy, ready at once: the language of conditions is loaded already. */
export function readPolicy(input: unknown, defaults?: PolicyDefaults): Policy {
  return parsePolicy(input, compileWhen, defaults, packs)
}
