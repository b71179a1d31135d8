import type { Elicitation } from '../elicitation.ts'
import type { FieldError } from '../form/validate.ts'

/** How answering ended. */
export type Answered =
  /** This answer settled the question. */
  | { readonly kind: 'kept'; readonly elicitation: Elicitation }
  /** It was settled before: by someone else, by time, or by being withdrawn. `elicitation` says what holds. */
  | { readonly kind: 'late'; readonly elicitation: Elicitation }
  /** The vote counts, or counted before, and the question waits for others too. */
  | { readonly kind: 'counted'; readonly elicitation: Elicitation }
  /** It was handed on, and waits for somebody else. */
  | { readonly kind: 'delegated'; readonly elicitation: Elicitation }
  /** The question is still open: these fields need another answer. */
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
