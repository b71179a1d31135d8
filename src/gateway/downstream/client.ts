import type { RequestContext } from '../../asking/context.ts'
import { digest } from '../../base/canonical.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Modes } from '../../mcp/modes.ts'
import type { Requester } from '../../participant/requester.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'

/** For whom an upstream is spoken to, and what it may ask of them. */
export interface SpeakingClient {
  readonly requester: Requester
  /** The 2025 session it comes from: what an upstream says unasked goes back there. */
  readonly sessionId?: string | undefined
  readonly capabilities: JsonObject
  readonly modes: Modes
}

/**
 * What is declared upstream: what the requester's own client can do, and every mode where somebody can be asked in the inbox.
 * Nothing is declared that nobody would answer.
 */
export function downstreamClient(
  { requester, sessionId, capabilities, modes }: SpeakingClient,
  { asks, inbox }: { readonly asks: boolean; readonly inbox: boolean },
): DownstreamClient {
  const { sampling, roots } = capabilities
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

/** Who is speaking in this visit. */
export function callerIn({ call, ctx, capabilities, modes }: RequestContext): SpeakingClient {
  return { requester: call.requester, sessionId: ctx.sessionId, capabilities, modes }
}

/** Keeps the sessions of one client apart. A session's id opens the session, so it is never written down. */
export function sessionKeyOf(sessionId: string): string {
  return digest(sessionId).slice(0, 22)
}
