import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import { sessionKeyOf } from '../../mcp/http/session/sharing.ts'
import type { Requester } from '../../participant/requester.ts'
import { requesterKey } from '../../participant/requester.ts'

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Which log level each client asked for: 2025 clients set it for their session, 2026 clients with each request. */
export interface LogLevels {
  /** Sets the level of a 2025 session. */
  set(sessionId: string | undefined, level: string): void
  /** The level that applies to a request. Undefined: none was asked for. */
  of(ctx: ServerContext, perRequest: boolean): string | undefined
  /** The level that a 2025 session asked for. */
  ofSession(sessionId: string | undefined): string | undefined
  /** Whether a session of a 2025 upstream has not been told this level yet, for a 2026 client. Remembers it as told. */
  isNews(server: string, requester: Requester, level: string): boolean
  forget(sessionId: string | undefined): void
}

const most = 2_000

export function createLogLevels(): LogLevels {
  const bySession = new Map<string, string>()
  const told = new Map<string, string>()
  const keyOf = (sessionId: string | undefined) => (sessionId === undefined ? '' : sessionKeyOf(sessionId))
  return {
    set: (sessionId, level) => void bySession.set(keyOf(sessionId), level),
    // Mostly nobody set one, and a session's key is a digest.
    ofSession: (sessionId) => (bySession.size === 0 ? undefined : bySession.get(keyOf(sessionId))),
    of(ctx, perRequest) {
      if (!perRequest) return bySession.get(keyOf(ctx.sessionId))
      const level = (ctx.mcpReq.envelope as JsonObject | undefined)?.[LOG_LEVEL_META_KEY]
      return typeof level === 'string' ? level : undefined
    },
    isNews(server, requester, level) {
      const key = `${server}\n${requesterKey(requester)}`
      if (told.get(key) === level) return false
      told.set(key, level)
      if (told.size > most) told.delete(told.keys().next().value as string)
      return true
    },
    forget: (sessionId) => void bySession.delete(keyOf(sessionId)),
  }
}

/** Whether this is a log level of MCP. */
export function isLogLevel(level: unknown): boolean {
  return levels.includes(String(level))
}

/** Whether a message of this level reaches a client that asked for that level. */
export function isLoud(line: unknown, wanted: string): boolean {
  return levels.indexOf(String(line)) >= levels.indexOf(wanted)
}
