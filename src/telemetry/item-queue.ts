/** How one signal is sent. */
export interface ItemQueueOptions<Item> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How many items may wait. With more, the oldest are dropped. */
  readonly most: number
  body(items: readonly Item[]): object
  onError(error: unknown): void
}

/** Sends items to a collector, many in one request. Never in the way: what cannot be sent is dropped, and told. */
export interface ItemQueue<Item> {
  add(items: readonly Item[]): void
  /** Sends what waits, once, and stops. */
  close(): Promise<void>
}

const mostInRequest = 512
const gatherMs = 1_000
const requestMs = 10_000
const closingMs = 3_000
const retriesMs = [1_000, 5_000, 15_000]
/** What a collector may take later. */
const passing = new Set([429, 502, 503, 504])

export function createItemQueue<Item>({ url, headers, most, body, onError }: ItemQueueOptions<Item>): ItemQueue<Item> {
  let waiting: Item[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let retries = 0
  const closing = new AbortController()

  function later(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      sending ??= sendAll().finally(() => {
        sending = undefined
      })
    }, ms).unref()
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostInRequest)
      const before = dropped
      const end = await post(batch)
      // What was dropped meanwhile were the oldest, and so a part of the batch.
      const inBatch = Math.max(0, batch.length - (dropped - before))
      if (end === 'passing' && retries < retriesMs.length && !closing.signal.aborted) {
        later(retriesMs[retries] ?? 0)
        retries += 1
        return
      }
      retries = 0
      waiting = waiting.slice(inBatch)
      if (end !== 'taken') dropped += inBatch
      if (dropped > 0) {
        onError(new Error(`${new URL(url).origin} did not take ${dropped} items of telemetry, which are lost.`))
        dropped = 0
      }
    }
  }

  async function post(items: readonly Item[]): Promise<'taken' | 'passing' | 'refused'> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body(items)),
        redirect: 'error',
        signal: AbortSignal.timeout(closing.signal.aborted ? closingMs : requestMs),
      })
      // Read to its end, so that the connection can be used again.
      await response.arrayBuffer()
      if (response.ok) return 'taken'
      return passing.has(response.status) ? 'passing' : 'refused'
    } catch {
      return 'passing'
    }
  }

  return {
    add(items) {
      if (closing.signal.aborted) return
      waiting.push(...items)
      if (waiting.length > most) {
        dropped += waiting.length - most
        waiting = waiting.slice(-most)
      }
      later(gatherMs)
    },
    async close() {
      closing.abort()
      clearTimeout(timer)
      await sending
      await sendAll()
    },
  }
}
