import type { ReplyStream } from '../pending-request.ts'
import type { Exchange, HttpOutcome } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'

/** The request that a resumed stream belongs to. */
export interface ResumedStreamOwner {
  headers(): string[]
  event(data: string): void
  /** The stream cannot be resumed. */
  failed(detail: string): void
}

const defaultWaitMs = 1_000
const minWaitMs = 50
const maxFailures = 5

/** Resumes a broken stream after its last event, each time it breaks (H11-08). */
export function resumeStream(
  transport: HttpTransport,
  broken: Exchange,
  { headers, event, failed }: ResumedStreamOwner,
): ReplyStream {
  let lastId = broken.lastEventId ?? ''
  let retry = broken.retry ?? defaultWaitMs
  let failures = 0
  let stop = schedule()

  function schedule(): () => void {
    return transport.clock.after(Math.max(retry * 2 ** failures, minWaitMs), () => {
      const exchange = transport.send(
        { method: 'GET', headers: [...headers(), 'last-event-id', lastId] },
        { event, ended: ({ kind }, exchange) => onEnd(kind, exchange) },
      )
      stop = () => exchange.abort()
    })
  }

  function onEnd(kind: HttpOutcome['kind'], exchange: Exchange) {
    if (kind === 'response' || kind === 'too-long') return failed('the stream broke and could not be resumed')
    const hasProgressed = exchange.lastEventId !== undefined && exchange.lastEventId !== lastId
    failures = hasProgressed ? 0 : failures + 1
    if (failures > maxFailures) return failed(`the stream broke ${failures} times without a new event`)
    lastId = exchange.lastEventId ?? lastId
    retry = exchange.retry ?? retry
    stop = schedule()
  }

  return { release: () => stop() }
}
