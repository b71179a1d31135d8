import type { UpstreamLimits } from '../options.ts'
import type { Lost, LostReason, UpstreamReply } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { readChallenge } from './challenge.ts'
import { type HttpOutcome, mediaType } from './exchange.ts'

/**
 * The reply to a request whose HTTP exchange ended without a matching JSON-RPC response. `sent`: some bytes were sent.
 */
export function replyFromOutcome(
  outcome: HttpOutcome,
  sent: boolean,
  { messageValues }: Pick<UpstreamLimits, 'messageValues'>,
): UpstreamReply {
  switch (outcome.kind) {
    case 'failed':
      return sent
        ? lost('broken', true, messageOf(outcome.error))
        : lost(reasonOf(outcome.error), false, messageOf(outcome.error))
    case 'too-long':
      return lost('too-long', sent, 'the response is longer than the limit')
    case 'stream-ended':
      return lost('broken', sent, 'the stream ended before the response')
    case 'response':
      return replyFromResponse(outcome, sent, messageValues)
  }
}

function replyFromResponse(
  { status, headers, text }: Extract<HttpOutcome, { kind: 'response' }>,
  sent: boolean,
  mostValues: number,
): UpstreamReply {
  const challenge = readChallenge(status, headers)
  if (challenge !== undefined) return challenge
  if (status >= 300 && status < 400) {
    return lost('redirected', false, `HTTP ${status} to ${String(headers.location ?? '').slice(0, 200)}`)
  }
  const message = mediaType(headers) === 'application/json' ? readMessage(text, mostValues) : undefined
  if (status >= 400) {
    if (message?.kind === 'response' && message.error !== undefined) return { kind: 'error', error: message.error }
    // A server that refuses a request (4xx) has not run it; one that fails (5xx) may have.
    return lost('refused', status >= 500 || status === 408, `HTTP ${status}: ${beginningOf(text)}`)
  }
  return lost('malformed', sent, `HTTP ${status} without a JSON-RPC response: ${beginningOf(text)}`)
}

/** What says most about a response. The beginning of a page is styles and scripts. */
function beginningOf(text: string): string {
  return /^\s*<(?:!doctype html|html)\b/i.test(text) ? 'a web page' : text.slice(0, 200)
}

function lost(reason: LostReason, sent: boolean, detail: string): Lost {
  return { kind: 'lost', reason, sent, detail }
}

// A request that undici refuses to send, for example with a line break in a header, does not mean that the upstream is
// down.
function reasonOf(error: Error): LostReason {
  return 'code' in error && error.code === 'UND_ERR_INVALID_ARG' ? 'refused' : 'down'
}

function messageOf(error: Error): string {
  const { code } = error as { code?: unknown }
  return [typeof code === 'string' ? code : undefined, error.message].filter(Boolean).join(' ') || error.name
}
