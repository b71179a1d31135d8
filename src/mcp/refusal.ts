import { AssentError } from '../base/errors.ts'
import { outcomeKey, questionKey } from './meta-keys.ts'

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
  /** The question that still waits for an answer, if there is one. */
  readonly waiting: WaitingQuestion | undefined

  constructor(status: RefusalStatus, message: string, reason: string = status, waiting?: WaitingQuestion) {
    super(message)
    this.status = status
    this.reason = reason
    this.waiting = waiting
  }
}

/** A question that stays open after its call ended. */
export interface WaitingQuestion {
  readonly id: string
  /** Where a person answers it. */
  readonly link: string
  readonly expiresAt: Date
}

/** The refusal of a call whose question stays open. The same call, made again, finds the question or its answer. */
export function pendingUntil(
  { what, isBegun = false, ...waiting }: WaitingQuestion & { readonly what: string; readonly isBegun?: boolean },
  reason: string,
): AskRefused {
  const { link, expiresAt } = waiting
  const [state, later] = isBegun
    ? ['The call was begun and then ended without it.', 'after the answer, the same call finds it.']
    : ['Nothing ran.', 'after the answer, the same call goes on without another question.']
  const message = `${what} ${state} Tell the person this link: ${link} (open until ${withoutMilliseconds(expiresAt)}). Do not try again unless they ask for it: ${later}`
  return new AskRefused('pending', message, reason, waiting)
}

const withoutMilliseconds = (moment: Date) => moment.toISOString().replace(/\.\d{3}Z$/, 'Z')

/** The result of a refused call: text for the model, the outcome for programs. */
export interface RefusalResult {
  [key: string]: unknown
  isError: true
  content: [{ type: 'text'; text: string }]
  _meta: { [outcomeKey]: Outcome; [questionKey]?: object }
}

interface Outcome {
  status: RefusalStatus
  reason: string
}

/**
 * A refusal as the result of a tool. Never with `structuredContent`: clients of SDK 1.x check it against the tool's output
 * schema even on errors, and some show their model nothing else.
 */
export function refusalResult({ message, status, reason, waiting }: AskRefused): RefusalResult {
  const question = waiting && { ...waiting, expiresAt: waiting.expiresAt.toISOString() }
  return {
    isError: true,
    content: [{ type: 'text', text: message }],
    _meta: { [outcomeKey]: { status, reason }, ...(question && { [questionKey]: question }) },
  }
}
