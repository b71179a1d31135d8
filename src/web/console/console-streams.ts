import { inBackground } from '../../base/under-way.ts'
import { changed, type Stream, streamFor } from '../inbox/inbox-streams.ts'
import type { AssentForWeb } from '../needs.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Server-sent events for administrators who look at what happens. They say that something happened, never what. */
export interface ConsoleStreams {
  /** Undefined where this person has the most streams that one person may have. */
  open(viewer: Viewer): ReadableStream<Uint8Array> | undefined
  close(): void
}

const pollMs = 1_000
const mostChains = 50

/** The audit of all processes is looked at once a second for everybody together, and only while somebody looks. */
export function createConsoleStreams(assent: Pick<AssentForWeb, 'clock' | 'store'>, perPerson: number): ConsoleStreams {
  const streams = new Set<Stream>()
  let before: string | undefined
  let callOff: (() => void) | undefined

  async function look(): Promise<void> {
    const heads = await assent.store.audit.heads(mostChains).catch(() => undefined)
    if (streams.size === 0) {
      callOff = undefined
      before = undefined
      return
    }
    const now = heads?.map(({ chain, seq }) => `${chain} ${seq}`).join() ?? before
    if (before !== undefined && now !== before) for (const stream of streams) stream.send(changed)
    before = now
    callOff = assent.clock.after(pollMs, () => inBackground(look()))
  }

  function add(stream: Stream): () => void {
    streams.add(stream)
    if (callOff === undefined) {
      callOff = () => {}
      inBackground(look())
    }
    return () => streams.delete(stream)
  }

  return {
    open(viewer) {
      const theirs = [...streams].filter((one) => one.viewer.participant === viewer.participant)
      return theirs.length >= perPerson ? undefined : streamFor(assent, viewer, add)
    },
    close() {
      callOff?.()
      for (const stream of [...streams]) stream.end()
    },
  }
}
