import { BadPolicy } from '../../approval/policy/bad-policy.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import { isPlainObject } from '../../base/json.ts'
import type { ConfigDocument } from '../config/document.ts'
import { badConfig, pathText } from '../config/problems.ts'

/** The policy of a settings file, or of a file that holds nothing but a policy. */
export async function draftIn(document: ConfigDocument): Promise<Policy> {
  const isSettings = isPlainObject(document.value.policy)
  const path = isSettings ? ['policy'] : []
  try {
    return await readPolicy(isSettings ? document.value.policy : document.value)
  } catch (error) {
    if (!(error instanceof BadPolicy)) throw error
    const problems = error.problems.map((problem) => {
      const at = [...path, ...problem.path]
      return { path: at, message: `${pathText(at)}: ${problem.message}` }
    })
    throw badConfig(document, problems)
  }
}
