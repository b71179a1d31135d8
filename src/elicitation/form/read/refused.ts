import { AssentError } from '../../../base/errors.ts'

/** One thing wrong with a schema. Read as a sentence: the path, then the problem, which says what to do about it. */
export interface FormProblem {
  /** Such as `properties.age.minimum`; empty for the schema as a whole. */
  readonly path: string
  readonly problem: string
}

/** A schema asks for more than a form of any protocol revision can say, or contradicts itself. */
export class FormRefused extends AssentError {
  readonly code = 'form_refused'
  readonly problems: readonly FormProblem[]

  constructor(problems: readonly [FormProblem, ...FormProblem[]]) {
    super(`This form cannot be asked: ${sentence(problems[0])}`, { detail: problems.map(sentence).join(' ') })
    this.problems = problems
  }
}

function sentence({ path, problem }: FormProblem): string {
  return `${path || 'the schema'} ${problem}.`
}
