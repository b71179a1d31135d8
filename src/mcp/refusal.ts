import { AssentError } from '../base/errors.ts'
import { outcomeKey } from './meta-keys.ts'

/** Why a call did not run, for programs. */
export type RefusalStatus =
  | 'declined'
  | 'denied'
  | 'cancelled'
  | 'expired'
  | 'failed'
  | 'pending'
  | 'cannot-ask'
  | 'already-run'
  | 'invalid'

/** A question that got no yes. Thrown where it was asked: a handler may catch it, otherwise the call ends with it. */
export class AskRefused extends AssentError {
  readonly code = 'ask_refused'
  readonly status: RefusalStatus
  /** More exact than `status`, for programs. */
  readonly reason: string

  constructor(status: RefusalStatus, message: string, reason: string = status) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** The result of a refused call: text for the model, the outcome for programs. */
export interface RefusalResult {
  [key: string]: unknown
  isError: true
  content: [{ type: 'text'; text: string }]
  _meta: { [outcomeKey]: Outcome }
}

interface Outcome {
  status: RefusalStatus
  reason: string
}

/**
 * A refusal as the result of a tool. Never with `structuredContent`: clients of SDK 1.x check it against the tool's output
 * schema even on errors, and some show their model nothing else.
 */
export function refusalResult({ message, status, reason }: AskRefused): RefusalResult {
  return {
    isError: true,
    content: [{ type: 'text', text: message }],
    _meta: { [outcomeKey]: { status, reason } },
  }
}
