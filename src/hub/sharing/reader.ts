import type { HubStore, KeptEnvelope } from '../store.ts'

/** Reads the log of a space in its order: what this instance kept and what others did. */
export interface LogReader {
  /**
   * Whether the envelope that was just kept here comes next, so that whoever kept it can deliver it at once. If not,
   * the reader takes it, after everything that came before it.
   */
  isNext(seq: number): boolean
  /** The number of the last envelope that was taken, or delivered by whoever kept it. */
  position(): number
  /** Reads on: the log has grown. */
  grown(): void
  close(): void
}

export interface ReaderParts {
  readonly space: string
  readonly store: Pick<HubStore, 'listSince'>
  /** The number of the last envelope that was there before. */
  readonly from: number
  /** Everything that is kept is kept here. */
  isAlone(): boolean
  /** Takes envelopes, in the order of the log: all of them, or none if it fails. */
  take(page: readonly KeptEnvelope[]): Promise<void>
  /** Does work again and again while the store is down. */
  surely(work: () => Promise<void>): void
}

const pageSize = 200
const pollMs = 2_000

export function readLog({ space, store, from, isAlone, take, surely }: ReaderParts): LogReader {
  let at = from
  let isReading = false
  let isMore = false

  function grown(): void {
    isMore = true
    if (isReading) return
    isReading = true
    surely(readAll)
  }

  async function readAll(): Promise<void> {
    while (isMore) {
      isMore = false
      try {
        const page = await store.listSince(space, at, pageSize)
        await take(page)
        at = page.at(-1)?.seq ?? at
        isMore ||= page.length === pageSize
      } catch (error) {
        isMore = true
        throw error
      }
    }
    isReading = false
  }

  // Whoever tells that the log has grown may fail to.
  const polling = setInterval(grown, pollMs).unref()
  return {
    isNext(seq) {
      if (!isReading && seq === at + 1 && isAlone()) {
        at = seq
        return true
      }
      grown()
      return false
    },
    position: () => at,
    grown,
    close: () => clearInterval(polling),
  }
}
