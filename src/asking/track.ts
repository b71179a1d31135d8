import { ProtocolError, type Server, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import { isPlainObject } from '../base/json.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { statusOf } from '../elicitation/result.ts'
import { callerOf, requesterOf } from '../mcp/caller.ts'
import { codes } from '../mcp/codes.ts'
import { trackCapability, withdrawCapability } from '../mcp/meta-keys.ts'
import { isPerRequest, revisionOf } from '../mcp/revision.ts'
import { type Requester, requesterKey } from '../participant/requester.ts'
import type { AskingSettings } from './context.ts'
import { keepingAlive } from './progress.ts'

interface TrackParams {
  readonly id: ElicitationId
  readonly timeoutMs?: number
}

/** Reads both spellings of the id. */
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

/**
 * Answers `elicitation/track`, which waits until a question of the caller is settled and says how it ended, and
 * `elicitation/withdraw`, which takes one back.
 */
export function answerTracking({ assent, clocks, quirks }: AskingSettings, server: Server): void {
  server.registerCapabilities({ experimental: { [trackCapability]: {}, [withdrawCapability]: {} } })
  server.setRequestHandler('elicitation/track', { params: trackParams }, async ({ id, timeoutMs }, ctx) => {
    // From 2026-07-28 on a held retry replaces tracking.
    if (isPerRequest(revisionOf(server.getNegotiatedProtocolVersion()))) {
      throw new ProtocolError(codes.methodNotFound, 'Method not found')
    }
    const { participant } = requesterOf(ctx)
    await findOwn(assent, id, (asker) => asker.participant === participant)
    const timeout = Math.min(timeoutMs ?? clocks.track, clocks.track)
    const seen = await keepingAlive(ctx, () => assent.wait(id, { timeoutMs: timeout, signal: ctx.mcpReq.signal }))
    const status = statusOf(seen)
    if (status === 'pending') {
      const outcome = { status: 'timed-out', reason: 'timed-out' }
      throw new ProtocolError(codes.refused, 'Nobody has answered yet. Track it again to keep waiting.', outcome)
    }
    return seen.state.kind === 'failed' ? { status, error: seen.state.reason } : { status }
  })
  // Only by this a requester takes a question back: a call that is cancelled or times out leaves its approval open.
  server.setRequestHandler('elicitation/withdraw', { params: trackParams }, async ({ id }, ctx) => {
    const { requester } = callerOf(server, ctx, quirks)
    // Another client of the same person may not end what this one did not ask.
    await findOwn(assent, id, (asker) => requesterKey(asker) === requesterKey(requester))
    return { status: statusOf(await assent.withdraw(id, requester, 'the requester withdrew it')) }
  })
}

/** Somebody else's question gets the same error as one that does not exist. */
async function findOwn(
  assent: AskingSettings['assent'],
  id: ElicitationId,
  isOwn: (asker: Requester) => boolean,
): Promise<void> {
  const kept = await assent.get(id)
  if (kept === undefined || !isOwn(kept.requester)) {
    throw new ProtocolError(codes.invalidParams, `Unknown elicitation: ${id}`)
  }
}
