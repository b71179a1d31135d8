import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { isPlainObject } from '../base/json.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import { statusOf } from '../elicitation/result.ts'
import { requesterOf } from '../mcp/http/requester.ts'
import { trackCapability } from '../mcp/names.ts'
import { refusalCode } from '../mcp/refusal.ts'
import { isPerRequest, revisionOf } from '../mcp/revision.ts'
import type { AskingSettings } from './context.ts'
import { keepingAlive } from './progress.ts'

interface TrackParams {
  readonly id: ElicitationId
  readonly timeoutMs?: number
}

/** Both spellings of the id are read. */
const trackParams: StandardSchemaV1<unknown, TrackParams> = {
  '~standard': {
    version: 1,
    vendor: 'assent',
    validate(params) {
      const { elicitationId, elicitation_id, timeoutMs } = isPlainObject(params) ? params : {}
      const id = elicitationId ?? elicitation_id
      if (typeof id !== 'string') return { issues: [{ message: 'elicitationId must be text' }] }
      const isTime = typeof timeoutMs === 'number' && timeoutMs > 0
      return { value: isTime ? { id: id as ElicitationId, timeoutMs } : { id: id as ElicitationId } }
    },
  },
}

/** Answers `elicitation/track`: waits for a question of the one who asks, and tells how it ended. */
export function answerTracking({ assent, clocks }: AskingSettings, server: Server): void {
  server.registerCapabilities({ experimental: { [trackCapability]: {} } })
  server.setRequestHandler('elicitation/track', { params: trackParams }, async ({ id, timeoutMs }, ctx) => {
    // From 2026-07-28 on the held retry does it.
    if (isPerRequest(revisionOf(server.getNegotiatedProtocolVersion()))) {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    }
    await ownQuestion(assent, id, ctx)
    const timeout = Math.min(timeoutMs ?? clocks.track, clocks.track)
    const seen = await keepingAlive(ctx, () => assent.wait(id, { timeoutMs: timeout, signal: ctx.mcpReq.signal }))
    const status = statusOf(seen)
    if (status === 'pending') {
      const outcome = { status: 'timed-out', reason: 'timed-out' }
      throw new ProtocolError(refusalCode, 'Tracking timed out: nobody has answered yet.', outcome)
    }
    return seen.state.kind === 'failed' ? { status, error: seen.state.reason } : { status }
  })
}

/** Another's question looks like one that never was. */
async function ownQuestion(
  assent: AskingSettings['assent'],
  id: ElicitationId,
  ctx: ServerContext,
): Promise<Elicitation> {
  const kept = await assent.get(id)
  if (kept?.requester.participant === requesterOf(ctx).participant) return kept
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown elicitation: ${id}`)
}
