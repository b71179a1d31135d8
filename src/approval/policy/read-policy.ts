import { isPlainObject } from '../../base/json.ts'
import { type PolicyDefaults, parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'
import type { CompileWhen } from './read-rule.ts'

/**
 * Reads a policy of unknown origin. Rejects with `BadPolicy`, which names all that is wrong. CEL, which is large, is loaded
 * only for a policy that has a `when`, and the packs only for one that extends some.
 */
export async function readPolicy(input: unknown, defaults?: PolicyDefaults): Promise<Policy> {
  const extending = isPlainObject(input) && input.extends !== undefined ? await import('./packs/packs.ts') : undefined
  const language = extending !== undefined || hasWhen(input) ? await import('./when/when.ts') : undefined
  // Without a `when` nothing is compiled.
  return parsePolicy(input, language?.compileWhen as CompileWhen, defaults, extending?.packs)
}

function hasWhen(input: unknown): boolean {
  const rules = isPlainObject(input) && Array.isArray(input.rules) ? input.rules : []
  return rules.some((rule) => isPlainObject(rule) && rule.when !== undefined)
}
