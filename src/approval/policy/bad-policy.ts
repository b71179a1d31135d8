import { AssentError } from '../../base/errors.ts'

/** Where in the policy, such as `['rules', 2, 'when']`. */
export type PolicyPath = readonly (string | number)[]

/** One thing wrong with a policy; the message says what to do about it. */
export interface PolicyProblem {
  readonly path: PolicyPath
  readonly message: string
}

/** A policy that must not be used, with all that is wrong with it. */
export class BadPolicy extends AssentError {
  readonly code = 'bad_policy'
  readonly problems: readonly [PolicyProblem, ...PolicyProblem[]]

  constructor(problems: readonly [PolicyProblem, ...PolicyProblem[]]) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    super(`This policy cannot be used. ${sentence(problems[0])}${more}`, { detail: problems.map(sentence).join('\n') })
    this.problems = problems
  }

  /** Where the first problem is. */
  get path(): PolicyPath {
    return this.problems[0].path
  }
}

function sentence({ path, message }: PolicyProblem): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`
}

function pathText(path: PolicyPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')
}
