import type { Clock } from '../../../base/clock.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { Post } from '../../../instance/post.ts'
import { codes } from '../../../mcp/codes.ts'
import { isStillWanted, notWanted } from '../pending-request.ts'
import type { AskReply, Lost, UpstreamHooks, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { insist } from './insist.ts'
import { asWord, type CallForHolder, type FromHolder, type FromSender } from './wire.ts'

/** Makes the requests that other instances send here, because this one holds their sessions. */
export interface ServedCalls {
  /** Takes no more, and gives those that are under way some time to end. */
  close(): Promise<void>
}

interface Served {
  readonly ref: string
  readonly aborting: AbortController
  /** The questions that the sender has not answered. */
  readonly asks: Map<number, OpenAsk>
  /** What is to be heard of whether it is wanted still. */
  readonly lates: Map<number, (isWanted: boolean) => void>
  tell: (word: FromHolder) => void
  /** When its sender was heard of, in milliseconds. */
  heardAt: number
  forget: () => void
}

interface OpenAsk {
  readonly word: FromHolder
  answer(reply: AskReply): void
}

/** A sender that has not looked for so long is gone, and its call is aborted, in milliseconds. */
const forgottenMs = 30_000
/** One that has not looked for so long is gone if the store does not know that it runs. */
const silentMs = 10_000
/**
 * A call that was sent so long ago is not made, in milliseconds: whoever allowed it did so then, and its client may have been
 * told that nobody knows of it.
 */
const freshMs = 10_000
/** Mail that was read so late waited while this instance was stopped or slow, in milliseconds. */
const lateMs = 2_500
/** How long calls of others may go on when this instance stops, in milliseconds. */
const lastMs = 5_000

export function serveCalls(
  upstreams: ReadonlyMap<string, (request: UpstreamRequest) => Promise<UpstreamReply>>,
  post: Post,
  clock: Clock,
  used: (call: CallForHolder) => void,
): ServedCalls {
  const served = new Map<string, Served>()
  const now = () => clock.now().getTime()
  let ended = () => {}

  async function serve(call: CallForHolder, from: string, sentAt: Date): Promise<void> {
    const { ref, client, method, params, exclusive } = call
    const age = now() - sentAt.getTime()
    const send = age < freshMs ? upstreams.get(call.upstream) : () => stale
    if (served.has(ref)) return
    let telling = Promise.resolve()
    // One after the other, so that the reply comes last.
    const tell = (word: FromHolder) => {
      const mail = { kind: 'held-back', ref, word: asWord(word) }
      telling = telling.then(() => insist(() => post.reply(from, mail)))
    }
    const mine: Served = {
      ref,
      aborting: new AbortController(),
      asks: new Map(),
      lates: new Map(),
      tell,
      heardAt: now(),
      forget: () => {},
    }
    served.set(ref, mine)
    watch(mine, from)
    used(call)
    const request: UpstreamRequest = {
      ...client,
      method,
      params,
      ...(exclusive !== undefined && { exclusive }),
      signal: mine.aborting.signal,
      hooks: hooksOf(call, mine),
    }
    const isLate = age > lateMs && age < freshMs
    const reply = isLate && !(await isWantedLate(request, mine)) ? notWanted : await send?.(request)
    used(call)
    // What it was asked may still be wanted for another request of the session, which must not wait for ever.
    for (const { answer } of mine.asks.values()) answer(callOver)
    tell(reply === undefined ? { tell: 'unknown' } : { tell: 'reply', reply })
    await telling
    mine.forget()
    served.delete(ref)
    ended()
  }

  /** Its sender may have given it up, or be gone. */
  function isWantedLate(request: UpstreamRequest, { aborting: { signal } }: Served): Promise<boolean> {
    const givenUp = new Promise<boolean>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true })
    })
    return Promise.race([isStillWanted(request), givenUp])
  }

  function watch(mine: Served, from: string): void {
    mine.forget = clock.after(silentMs, async () => {
      const silence = now() - mine.heardAt
      // While the store cannot be reached, nothing is known.
      const isGone = silence >= silentMs && !(await post.isThere(from).catch(() => true))
      if (isGone || silence >= forgottenMs) mine.aborting.abort()
      else if (served.has(mine.ref)) watch(mine, from)
    })
  }

  function hear(ref: string, word: FromSender, from: string): void {
    const mine = served.get(ref)
    switch (word.tell) {
      case 'look': {
        if (mine !== undefined) mine.heardAt = now()
        const back = asWord({ tell: mine === undefined ? 'unknown' : 'alive' })
        inBackground(post.reply(from, { kind: 'held-back', ref, word: back }).catch(() => {}))
        // A question that was lost on its way, or the answer to it, would leave both sides waiting.
        for (const [ask, open] of mine?.asks ?? []) if (!word.asks.includes(ask)) mine?.tell(open.word)
        for (const ask of mine?.lates.keys() ?? []) mine?.tell({ tell: 'late', ask })
        break
      }
      case 'cancel':
        mine?.aborting.abort()
        break
      case 'answer':
        mine?.asks.get(word.ask)?.answer(word.reply)
        break
      case 'still':
        mine?.lates.get(word.ask)?.(word.isWanted)
        mine?.lates.delete(word.ask)
        break
    }
  }

  const stops = [
    post.on('held-ping', (_, from) => inBackground(post.reply(from, { kind: 'held-pong' }).catch(() => {}))),
    post.on('held-call', ({ call }, from, at) => inBackground(serve(call as unknown as CallForHolder, from, at))),
    post.on('held-tell', ({ ref, word }, from) => hear(String(ref), word as unknown as FromSender, from)),
  ]
  return {
    async close() {
      for (const stop of stops.slice(0, 2)) stop()
      if (served.size > 0) {
        await new Promise<void>((resolve) => {
          const callOff = clock.after(lastMs, resolve)
          ended = () => {
            if (served.size > 0) return
            callOff()
            resolve()
          }
        })
      }
      stops[2]?.()
      for (const { aborting, forget } of served.values()) {
        forget()
        aborting.abort()
      }
    },
  }
}

const stale: Lost = {
  kind: 'lost',
  reason: 'down',
  sent: false,
  detail: 'the instance that holds the session was too slow to take the request',
}

const callOver: AskReply = {
  error: { code: codes.internalError, message: 'The call that this was asked for is over.' },
}

/** Passes on what the sender wants to hear of. */
function hooksOf({ hooks }: CallForHolder, { asks, lates, tell }: Served): UpstreamHooks {
  let count = 0
  const all: Required<UpstreamHooks> = {
    late() {
      count += 1
      const ask = count
      return new Promise((resolve) => {
        lates.set(ask, resolve)
        tell({ tell: 'late', ask })
      })
    },
    progress: (params) => tell({ tell: 'progress', params }),
    log: (params) => tell({ tell: 'log', params }),
    completed: (id) => tell({ tell: 'completed', id }),
    notification: (method, params) => tell({ tell: 'notification', method, params }),
    asked(method, params, signal) {
      count += 1
      const ask = count
      const word = { tell: 'asked', ask, method, params } as const
      tell(word)
      return new Promise((resolve) => {
        const answer = (reply: AskReply) => {
          asks.delete(ask)
          resolve(reply)
        }
        asks.set(ask, { word, answer })
        const withdraw = () => {
          asks.delete(ask)
          tell({ tell: 'withdrawn', ask })
        }
        signal.addEventListener('abort', withdraw, { once: true })
      })
    },
  }
  return Object.fromEntries(hooks.map((name) => [name, all[name]]))
}
