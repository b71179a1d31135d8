import type { ReplyStream } from '../pending-request.ts'
import type { Exchange } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'

/** Whose stream it is. */
export interface Resumed {
  headers(): string[]
  event(data: string): void
  /** It cannot be taken up again. */
  failed(detail: string): void
}

const usualWait = 1_000
const leastWait = 50
const mostFailures = 5

/** Takes a broken stream up again where it broke off, as often as it breaks (H11-08). */
export function resume(transport: HttpTransport, broken: Exchange, { headers, event, failed }: Resumed): ReplyStream {
  let lastId = broken.lastEventId ?? ''
  let retry = broken.retry ?? usualWait
  let failures = 0
  let stop = wait()

  function wait(): () => void {
    return transport.clock.after(Math.max(retry * 2 ** failures, leastWait), () => {
      const exchange = transport.send(
        { method: 'GET', headers: [...headers(), 'last-event-id', lastId] },
        { event, ended: (end, exchange) => over(end.kind, exchange) },
      )
      stop = () => exchange.abort()
    })
  }

  function over(kind: string, exchange: Exchange) {
    if (kind === 'answer' || kind === 'too-long') return failed('the stream broke and could not be taken up again')
    const hasMoved = exchange.lastEventId !== undefined && exchange.lastEventId !== lastId
    failures = hasMoved ? 0 : failures + 1
    if (failures > mostFailures) return failed('the stream broke again and again')
    lastId = exchange.lastEventId ?? lastId
    retry = exchange.retry ?? retry
    stop = wait()
  }

  return { leave: () => stop() }
}
