import { AssentError } from '../base/errors.ts'
import { outcomeKey } from './names.ts'

/** How a call ended that did not run, in a word for programs. */
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

/** A question that got no yes. Thrown where it was asked, so that a handler may go another way; else the call ends with it. */
export class AskRefused extends AssentError {
  readonly code = 'ask_refused'
  readonly status: RefusalStatus
  /** Why, in a word for programs. */
  readonly reason: string

  constructor(status: RefusalStatus, message: string, reason: string = status) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** What a call that was refused gives back: text for the model, and the outcome for programs. */
export interface RefusalResult {
  [key: string]: unknown
  isError: true
  content: [{ type: 'text'; text: string }]
  _meta: { [outcomeKey]: Outcome }
  structuredContent?: Outcome & Record<string, unknown>
}

interface Outcome {
  status: RefusalStatus
  reason: string
}

/** The number of the error that other methods than tools/call end with; outside what JSON-RPC and MCP reserve. */
export const refusalCode = -31001

/** A refusal as the result of a tool. Older clients throw on structured content that does not fit an output schema. */
export function refusalResult({ message, status, reason }: AskRefused, hasOutputSchema: boolean): RefusalResult {
  const outcome = { status, reason }
  return {
    isError: true,
    content: [{ type: 'text', text: message }],
    _meta: { [outcomeKey]: outcome },
    ...(!hasOutputSchema && { structuredContent: outcome }),
  }
}
