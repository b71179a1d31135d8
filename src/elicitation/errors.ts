import { AssentError } from '../base/errors.ts'
import type { ElicitationId } from './elicitation.ts'

/** No such question: never asked, or kept no longer. */
export class ElicitationNotFound extends AssentError {
  readonly code = 'not_found'
  constructor(id: ElicitationId) {
    super('There is no such question. It may have been deleted since.', { detail: `question ${id}` })
  }
}

/** A question that must not be asked as it stands. */
export class BadQuestion extends AssentError {
  readonly code = 'bad_question'
}

/** The requester has as many questions open as one may have. */
export class TooManyOpen extends AssentError {
  readonly code = 'too_many_open'
  constructor(limit: number) {
    super(`There are ${limit} questions open already. Answer or withdraw one first.`)
  }
}
