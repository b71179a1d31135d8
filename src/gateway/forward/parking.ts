import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Lease } from '../../base/limits/budget.ts'
import { memoryOf } from '../../base/limits/json-values.ts'
import { codes } from '../../mcp/codes.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { AskReply, UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'
import type { ReserveBytes } from '../upstream/wire/received-bytes.ts'

/** An unanswered question of a parked call. */
export interface OpenAsk {
  /** Numbered within its call. */
  readonly key: string
  readonly method: string
  readonly params: JsonObject
}

/**
 * A call in flight at a 2025 upstream whose 2026 client has to come back with answers. It is the one thing that cannot be
 * walked again, as it lives in this process. The sealed state leads back to it: it holds the id of its walk, and of this
 * instance.
 */
export interface ParkedCall {
  readonly asks: readonly OpenAsk[]
  readonly reply: UpstreamReply | undefined
  /** The questions that nobody answered in time, so that the upstream was told so. */
  readonly overdue: readonly string[]
  isOverdue(key: string): boolean
  answer(key: string, reply: AskReply): void
  /** Resolves when there is a new question or the reply, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>
}

/** A call to park. `prefix` keeps its questions apart from those of an earlier call of the same walk. */
export interface Beginning {
  readonly walkId: string
  readonly requester: string
  readonly prefix: string
  /** The memory that the call's arguments take. It is held for as long as the call is parked. */
  readonly lease?: Lease | undefined
  /** Reserves memory for the reply, which waits until the client comes back. */
  readonly reserve: ReserveBytes
  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply>
}

export interface ParkingLimits {
  /** How many calls may wait for people at once, in all and of one requester. Questions beyond that are refused. */
  readonly most: number
  readonly mostEach: number
  /** How long a call is kept while its client is away. */
  readonly parkMs: number
  /** How long an upstream waits for an answer. */
  readonly askMs: number
}

export interface Parking {
  /** How many calls wait for an answer. */
  readonly size: number
  find(walk: string): ParkedCall | undefined
  begin(beginning: Beginning): ParkedCall
  /** A request of the client works on it: it is kept until `leave`. */
  hold(walk: string): void
  /** The client is away: after `parkMs` the call is aborted. */
  leave(walk: string): void
  /** The client is at another instance. A call whose client is away is kept for `parkMs` from now on. */
  touch(walk: string): void
  end(walk: string): void
  close(): void
}

interface Place {
  readonly call: ParkedCall
  readonly requester: string
  readonly ending: AbortController
  /** The memory that it takes. */
  readonly leases: readonly (Lease | undefined)[]
  callOff?: (() => void) | undefined
}

export function createParking({ most, mostEach, parkMs, askMs }: ParkingLimits, clock: Clock): Parking {
  const places = new Map<string, Place>()
  const waiting = () => [...places.values()].filter(({ call }) => call.asks.length > 0)

  function end(walk: string): void {
    const place = places.get(walk)
    if (place === undefined) return
    places.delete(walk)
    place.callOff?.()
    place.ending.abort()
    for (const lease of place.leases) lease?.release()
  }

  function leave(walk: string): void {
    const place = places.get(walk)
    if (place === undefined) return
    place.callOff?.()
    place.callOff = clock.after(parkMs, () => end(walk))
  }

  function mayAsk(requester: string): boolean {
    const all = waiting()
    return all.length < most && all.filter((place) => place.requester === requester).length < mostEach
  }

  return {
    get size() {
      return waiting().length
    },
    find: (walk) => places.get(walk)?.call,
    begin({ walkId, requester, prefix, lease, reserve, send }) {
      const ending = new AbortController()
      lease?.hold()
      const leases = [lease]
      const sent = async (hooks: UpstreamHooks): Promise<UpstreamReply> => {
        const reply = await send(hooks, ending.signal)
        if (reply.kind !== 'result' || ending.signal.aborted) return reply
        const held = reserve(memoryOf(reply.result, reply.length ?? 0))
        leases.push(held)
        return held === undefined ? noRoom : reply
      }
      const call = park(sent, {
        prefix,
        mayAsk: () => mayAsk(requester),
        late: (give) =>
          clock.after(askMs, () => {
            give()
            // The client can still come back for what the upstream makes of the missing answer.
            if (places.get(walkId)?.callOff !== undefined) leave(walkId)
          }),
      })
      places.set(walkId, { call, requester, ending, leases })
      return call
    },
    hold(walk) {
      const place = places.get(walk)
      place?.callOff?.()
      if (place) place.callOff = undefined
    },
    leave,
    touch(walk) {
      if (places.get(walk)?.callOff !== undefined) leave(walk)
    },
    end,
    close() {
      for (const walk of [...places.keys()]) end(walk)
    },
  }
}

interface Asking {
  readonly prefix: string
  mayAsk(): boolean
  late(give: () => void): () => void
}

const noRoom: UpstreamReply = {
  kind: 'lost',
  reason: 'too-long',
  sent: true,
  detail: 'there is no room to keep the reply until the client comes back',
}

function park(send: (hooks: UpstreamHooks) => Promise<UpstreamReply>, { prefix, mayAsk, late }: Asking): ParkedCall {
  const asks = new Map<string, OpenAsk & { settle(reply: AskReply): void }>()
  const overdue = new Set<string>()
  const listeners = new Set<() => void>()
  let reply: UpstreamReply | undefined
  let count = 0
  const tell = () => {
    for (const listener of [...listeners]) listener()
  }

  send({
    async asked(method, params, signal) {
      if (asks.size === 0 && !mayAsk()) return refusal('Too many calls wait for people here', 'too-many-open')
      count += 1
      const key = `${prefix}asked ${count}`
      return new Promise<AskReply>((resolve) => {
        const settle = (answer: AskReply) => {
          if (!asks.delete(key)) return
          callOff()
          resolve(answer)
        }
        const callOff = late(() => {
          overdue.add(key)
          settle(refusal('Nobody answered in time', 'unanswered'))
        })
        asks.set(key, { key, method, params, settle })
        signal.addEventListener('abort', () => settle(refusal('No longer wanted', 'withdrawn')), { once: true })
        tell()
      })
    },
  }).then(
    (came) => {
      reply = came
      tell()
    },
    (error: unknown) => {
      // A refusal comes before anything is sent.
      const isRefusal = error instanceof AskRefused
      reply = { kind: 'lost', reason: isRefusal ? 'cancelled' : 'broken', sent: !isRefusal, detail: String(error) }
      tell()
    },
  )

  return {
    get asks() {
      return [...asks.values()]
    },
    get reply() {
      return reply
    },
    get overdue() {
      return [...overdue]
    },
    isOverdue: (key) => overdue.has(key),
    answer: (key, answer) => asks.get(key)?.settle(answer),
    changed: (signal) =>
      new Promise((resolve) => {
        const done = () => {
          listeners.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        listeners.add(done)
        signal.addEventListener('abort', done, { once: true })
        if (signal.aborted) done()
      }),
  }
}

function refusal(message: string, reason: string): AskReply {
  return { error: { code: codes.refused, message, data: { status: 'refused', reason } } }
}
