import { milliseconds } from '../../base/durations.ts'
import { traitOf } from '../../mcp/quirks.ts'
import type { RequestContext, UnseenSessions } from '../context.ts'

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
