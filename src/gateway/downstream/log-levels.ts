import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import type { Requester } from '../../participant/requester.ts'
import { requesterKey } from '../../participant/requester.ts'
import { sessionKeyOf } from './client.ts'

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** How much of upstreams' logs each client wants: 2025 clients say it once for their session, 2026 clients with each request. */
export interface LogLevels {
  /** A 2025 session wants this level from now on. */
  set(sessionId: string | undefined, level: string): void
  /** The level that holds for a request; undefined: none was asked for. */
  of(ctx: ServerContext, perRequest: boolean): string | undefined
  /** Whether a session of a 2025 upstream still has to be told this level for a 2026 client. */
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

/** Whether a line of this level is wanted by one who asked for that. */
export function isLoud(line: unknown, wanted: string): boolean {
  return levels.indexOf(String(line)) >= levels.indexOf(wanted)
}
