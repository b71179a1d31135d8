import type { Clock } from '../../base/clock.ts'
import { isPlainObject } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { UpstreamReply } from '../upstream/upstream.ts'

/** How long an upstream that was told that nobody has answered may take to end its call, before the call is cancelled. */
const lastWordsMs = 2_000
const longestWords = 400

/** A call whose question was left open in the inbox, for longer than the call can be held. */
export interface LeftOpen {
  /** Aborts when the upstream has had its time to end the call by itself. */
  readonly signal: AbortSignal
  leave(refusal: AskRefused): void
  /** The upstream's reply, unless a question was left open: then throws the refusal, which has the link. */
  unlessLeft(reply: Promise<UpstreamReply>): Promise<UpstreamReply>
}

/** What an upstream says after its question was left open is not the end of the call: the person may still answer. */
export function createLeftOpen(clock: Clock, server: string): LeftOpen {
  const over = new AbortController()
  let left: AskRefused | undefined
  let callOff: (() => void) | undefined
  return {
    signal: over.signal,
    leave(refusal) {
      left ??= refusal
      callOff ??= clock.after(lastWordsMs, () => over.abort())
    },
    async unlessLeft(replying) {
      try {
        const reply = await replying
        if (left === undefined) return reply
        throw withLastWords(left, server, reply)
      } catch (error) {
        throw left !== undefined && !isRefusal(error, left) ? left : error
      } finally {
        callOff?.()
      }
    },
  }
}

function isRefusal(error: unknown, { waiting }: AskRefused): boolean {
  return error instanceof AskRefused && error.waiting?.id === waiting?.id
}

/** The upstream may have done something without the answer, so what it said is passed on. */
function withLastWords(refusal: AskRefused, server: string, reply: UpstreamReply): AskRefused {
  const words = reply.kind === 'result' && reply.result.isError !== true ? textIn(reply.result.content) : ''
  if (words === '') return refusal
  const { status, message, reason, waiting } = refusal
  const said = `Without the answer ${server} said: "${visibleLine(words, longestWords)}"`
  return new AskRefused(status, `${message} ${said}`, reason, waiting)
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.flatMap((one) => (isPlainObject(one) && typeof one.text === 'string' ? [one.text] : [])).join(' ')
}
