import type { Caller } from '../../mcp/caller.ts'
import { sessionKeyOf } from '../../mcp/http/session/sharing.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'

/** Whether upstreams may ask people at all, and whether the inbox can be asked where a client cannot. */
export interface AskingModes {
  readonly asks: boolean
  readonly inbox: boolean
}

/**
 * The client as upstreams see it. It declares what the requester's own client can do, plus every mode in which the inbox
 * can be asked instead. Nothing is declared that nobody would answer.
 */
export function downstreamClient(
  { requester, sessionId, declared = {}, modes }: Pick<Caller, 'requester' | 'sessionId' | 'declared' | 'modes'>,
  { asks, inbox }: AskingModes,
): DownstreamClient {
  const { sampling, roots } = declared
  const form = asks && (modes.form || inbox)
  const url = asks && (modes.url || inbox)
  return {
    requester,
    ...(sessionId !== undefined && { sessionKey: sessionKeyOf(sessionId) }),
    capabilities: {
      ...(sampling !== undefined && { sampling }),
      ...(roots !== undefined && { roots }),
      ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    },
  }
}
