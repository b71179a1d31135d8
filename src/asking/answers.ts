import { unlessTheyAsk } from '../approval/approval.ts'
import { milliseconds } from '../base/durations.ts'
import { isPlainObject } from '../base/json.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { FieldError } from '../elicitation/form/validate.ts'
import { traitOf } from '../mcp/quirks.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { RequestContext, UnseenSessions } from './context.ts'

/** An answer as a client sent it. Its content is not checked yet. */
export interface ClientAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: unknown
}

/** Reads what a client sent. Undefined: it is not an answer. */
export function clientAnswer(response: unknown): ClientAnswer | undefined {
  if (!isPlainObject(response)) return undefined
  const { action, content } = response
  if (action === 'accept') return { action, content }
  return action === 'decline' || action === 'cancel' ? { action } : undefined
}

/** The refusal for a person who declined or cancelled. */
export function refusedBy(action: 'decline' | 'cancel'): AskRefused {
  return action === 'decline'
    ? new AskRefused('declined', `The person declined. ${unlessTheyAsk}`)
    : new AskRefused('cancelled', `The person cancelled without answering. ${unlessTheyAsk}`)
}

/** What the person did to get this refusal. Undefined: nobody answered. */
export function actionOf({ status, reason }: AskRefused): 'decline' | 'cancel' | undefined {
  if (status === 'declined') return 'decline'
  return status === 'cancelled' && reason === 'cancelled' ? 'cancel' : undefined
}

/** Why a settled question has no accepted answer. Undefined: it was accepted. */
export function refusalIn({ state }: Elicitation): AskRefused | undefined {
  switch (state.kind) {
    case 'open':
      return new AskRefused('expired', 'Nobody has answered yet.', 'unanswered')
    case 'answered':
      return state.answer.action === 'accept' ? undefined : refusedBy(state.answer.action)
    case 'expired':
      return new AskRefused(
        'expired',
        'Nobody answered in time. Tell the person, and call again only if they ask for it.',
      )
    case 'failed':
      return new AskRefused('failed', `It could not be done: ${state.reason}`)
    case 'withdrawn':
      return new AskRefused('cancelled', `The question was taken back: ${state.reason}`, 'withdrawn')
  }
}

/** How often a person is asked when their answers do not fit the form. */
export const mostTries = 3

/** Ends the call after too many answers that do not fit the form. */
export function tooManyTries(errors: readonly FieldError[]): AskRefused {
  return new AskRefused('invalid', `No answer fitted the form. ${wordsFor(errors)}`.trim())
}

/** Short enough to leave room for the question itself, of which nothing may be cut off. */
const longestProblem = 400

/** What was wrong with an answer, for the person who is asked again. On one line: a server wrote the names of the fields. */
export function wordsFor(errors: readonly FieldError[]): string {
  return visibleLine(errors.map(({ message }) => message).join(' '), longestProblem)
}

/** The reason for going on in the inbox. */
export const answeredUnseen = 'answered-unseen'

/** Whether an answer came sooner than any person could have given it: then the client gave it by itself. */
export function isUnseen({ ownQuirks, unseenWithin }: RequestContext, waitedMs: number): boolean {
  const limit = traitOf(ownQuirks, 'unseenWithin') ?? unseenWithin
  return limit !== undefined && waitedMs < milliseconds(limit)
}

/** Records an answer that counts for nothing, by the question or walk it is about. A 2025 session that gave one is not asked for approvals again. */
export async function recordUnseen(
  { assent, call, sessionId, unseenSessions }: RequestContext,
  about: string,
  action: string,
  waitedMs: number,
): Promise<void> {
  const { participant, client } = call.requester
  const data = { client, action, waitedMs: Math.max(0, Math.round(waitedMs)) }
  await assent.record({ kind: answeredUnseen, who: participant, about, data })
  if (sessionId !== undefined) unseenSessions.add(sessionId)
}

/** Beyond this the oldest session is forgotten, and may give one more answer that counts for nothing. */
const mostSessions = 10_000

export function rememberUnseenSessions(): UnseenSessions {
  const sessions = new Set<string>()
  return {
    add(sessionId) {
      sessions.add(sessionId)
      const [oldest] = sessions
      if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest)
    },
    has: (sessionId) => sessionId !== undefined && sessions.has(sessionId),
  }
}
