import { AssentError } from '../../base/errors.ts'

/** Where in the policy, such as `['rules', 2, 'when']`. */
export type PolicyPath = readonly (string | number)[]

/** One thing wrong with a policy; the message says what to do about it. */
export interface PolicyProblem {
  readonly path: PolicyPath
  readonly message: string
}

/** How many problems the message names; `problems` and `detail` hold all of them. */
const mostTold = 20

/** A policy that must not be used, with all that is wrong with it. */
export class BadPolicy extends AssentError {
  readonly code = 'bad_policy'
  readonly problems: readonly [PolicyProblem, ...PolicyProblem[]]

  constructor(problems: readonly [PolicyProblem, ...PolicyProblem[]]) {
    const told = problems.slice(0, mostTold).map(sentence)
    if (problems.length > mostTold) told.push(`and ${problems.length - mostTold} more`)
    const first = told.length === 1 ? ' ' : '\n'
    super(`This policy cannot be used.${first}${told.join('\n')}`, { detail: problems.map(sentence).join('\n') })
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
