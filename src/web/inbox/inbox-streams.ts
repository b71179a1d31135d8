import { inBackground } from '../../base/under-way.ts'
import { answererNames } from '../../elicitation/answering/may-answer.ts'
import type { OpenRequesters } from '../../elicitation/store.ts'
import { hasTakenPart } from '../../elicitation/voting/voting.ts'
import type { Person } from '../../participant/identify.ts'
import type { AssentForWeb } from '../needs.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Server-sent events for open inboxes. They say that something changed for the person, never what. */
export interface InboxStreams {
  /** Undefined where this person has the most streams that one person may have. */
  open(viewer: Viewer): ReadableStream<Uint8Array> | undefined
  close(): void
}

const pollMs = 2_000
const heartbeatMs = 15_000
/** What is asked or settled changes the numbers of a requester, and a new question brings its requester to the top. */
const mostSeen = 20

type Needs = Pick<AssentForWeb, 'events' | 'listRequesters' | 'clock' | 'store'>

/** One open stream of events. */
export interface Stream {
  readonly viewer: Viewer
  send(text: string): void
  end(): void
}

/**
 * Changes made by this process are sent at once. Changes made by other processes are found by polling the store every
 * two seconds, once for all streams of a person. A stream ends when its browser is removed or expires.
 */
export function createInboxStreams(assent: Needs, perPerson: number): InboxStreams {
  const byPerson = new Map<string, { readonly streams: Set<Stream>; stop(): void }>()
  let stopListening: (() => void) | undefined

  function add(stream: Stream): () => void {
    const key = keyOf(stream.viewer)
    const group = byPerson.get(key) ?? startGroup(key, stream.viewer)
    group.streams.add(stream)
    stopListening ??= assent.events.listen((news) => {
      if (news.kind !== 'asked' && news.kind !== 'changed' && news.kind !== 'settled') return
      for (const { streams } of byPerson.values()) {
        for (const one of streams) if (hasTakenPart(news.elicitation, one.viewer)) one.send(changed)
      }
    })
    return () => {
      group.streams.delete(stream)
      if (group.streams.size > 0 || byPerson.get(key) !== group) return
      group.stop()
      byPerson.delete(key)
      if (byPerson.size > 0) return
      stopListening?.()
      stopListening = undefined
    }
  }

  function startGroup(key: string, person: Person) {
    const streams = new Set<Stream>()
    const stop = poll(assent, person, () => {
      for (const stream of streams) stream.send(changed)
    })
    const group = { streams, stop }
    byPerson.set(key, group)
    return group
  }

  const countOf = (viewer: Viewer) =>
    [...byPerson.values()]
      .flatMap(({ streams }) => [...streams])
      .filter((stream) => stream.viewer.participant === viewer.participant).length

  return {
    open(viewer) {
      if (countOf(viewer) >= perPerson) return undefined
      return streamFor(assent, viewer, add)
    },
    close() {
      for (const { streams } of [...byPerson.values()]) for (const stream of [...streams]) stream.end()
    },
  }
}

const encoder = new TextEncoder()
export const changed = 'event: changed\ndata: {}\n\n'

/** A stream for this person, which is added while it is open, and ends when they are not known any more. */
export function streamFor(
  assent: Pick<AssentForWeb, 'clock' | 'store'>,
  viewer: Viewer,
  add: (stream: Stream) => () => void,
): ReadableStream<Uint8Array> {
  let leave = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let cancel = () => {}
      let isOver = false
      const stream: Stream = {
        viewer,
        send(text) {
          if (!isOver) controller.enqueue(encoder.encode(text))
        },
        end() {
          if (isOver) return
          leave()
          controller.close()
        },
      }
      const remove = add(stream)
      leave = () => {
        isOver = true
        cancel()
        remove()
      }
      const beat = async () => {
        const mayGoOn = await isStillKnown(assent, viewer).catch(() => true)
        if (isOver) return
        if (!mayGoOn) return stream.end()
        stream.send(': here\n\n')
        cancel = assent.clock.after(heartbeatMs, beat)
      }
      cancel = assent.clock.after(heartbeatMs, beat)
      // Makes the inbox load the list again: it may have changed between the page and this stream.
      stream.send(`retry: 3000\n\n${changed}`)
    },
    cancel: () => leave(),
  })
}

/** True where a proxy names the person: it is checked again when the stream reconnects. */
async function isStillKnown(
  { store, clock }: Pick<AssentForWeb, 'clock' | 'store'>,
  { browser, key }: Viewer,
): Promise<boolean> {
  if (browser === undefined) return true
  const kept = await store.browsers.getByKey(key)
  return kept !== undefined && kept.expiresAt > clock.now()
}

/** Compares the open questions every two seconds with those before. Returns a function that stops it. */
function poll({ listRequesters, clock }: Needs, person: Person, tell: () => void): () => void {
  let isOver = false
  let before: string | undefined
  let cancel = () => {}
  const look = async () => {
    // While the store is down, polling goes on.
    const open = await listRequesters(person, mostSeen).catch(() => undefined)
    if (isOver) return
    const now = open === undefined ? before : stateOf(open)
    if (before !== undefined && now !== before) tell()
    before = now
    cancel = clock.after(pollMs, () => inBackground(look()))
  }
  inBackground(look())
  return () => {
    isOver = true
    cancel()
  }
}

/** Equal for persons who may see the same questions. */
function keyOf(person: Person): string {
  return JSON.stringify(answererNames(person))
}

function stateOf({ total, requesters }: OpenRequesters): string {
  return [total, ...requesters.map(({ count, first }) => `${count} ${first.id} ${first.version}`)].join(' ')
}
