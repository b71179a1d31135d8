import type { Lost, LostReason, UpstreamReply } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { readChallenge } from './challenge.ts'
import { type HttpEnd, mediaType } from './exchange.ts'

/** What the end of an HTTP request means where it brought no answer that fits. `sent`: bytes of it went out. */
export function judge(end: HttpEnd, sent: boolean): UpstreamReply {
  switch (end.kind) {
    case 'failed':
      return sent ? lost('broken', true, messageOf(end.error)) : lost(reasonOf(end.error), false, messageOf(end.error))
    case 'too-long':
      return lost('too-long', sent, 'the answer is longer than the limit')
    case 'events-over':
      return lost('broken', sent, 'the stream ended before the answer')
    case 'answer':
      return judgeAnswer(end, sent)
  }
}

function judgeAnswer({ status, headers, text }: Extract<HttpEnd, { kind: 'answer' }>, sent: boolean): UpstreamReply {
  const challenge = readChallenge(status, headers)
  if (challenge !== undefined) return challenge
  if (status >= 300 && status < 400) {
    return lost('redirected', false, `HTTP ${status} to ${String(headers.location ?? '').slice(0, 200)}`)
  }
  const message = mediaType(headers) === 'application/json' ? readMessage(text) : undefined
  if (status >= 400) {
    if (message?.kind === 'response' && message.error !== undefined) return { kind: 'error', error: message.error }
    // A server that refuses a request has not run it; one that fails may have.
    return lost('refused', status >= 500 || status === 408, `HTTP ${status}: ${text.slice(0, 200)}`)
  }
  return lost('malformed', sent, `HTTP ${status} without an answer: ${text.slice(0, 200)}`)
}

function lost(reason: LostReason, sent: boolean, detail: string): Lost {
  return { kind: 'lost', reason, sent, detail }
}

// What undici refuses to send at all, such as a line break in a header, says nothing about the upstream.
function reasonOf(error: Error): LostReason {
  return 'code' in error && error.code === 'UND_ERR_INVALID_ARG' ? 'refused' : 'down'
}

function messageOf(error: Error): string {
  const { code } = error as { code?: unknown }
  return [typeof code === 'string' ? code : undefined, error.message].filter(Boolean).join(' ') || error.name
}
