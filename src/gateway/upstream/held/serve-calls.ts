import type { Clock } from '../../../base/clock.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { Post } from '../../../instance/post.ts'
import { isStillWanted, notWanted } from '../pending-request.ts'
import type { AskReply, UpstreamHooks, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { insist } from './insist.ts'
import { asWord, type CallForHolder, type FromHolder, type FromSender } from './wire.ts'

/** Makes the requests that other instances send here, because this one holds their sessions. */
export interface ServedCalls {
  /** Takes no more, and gives those that are under way some time to end. */
  close(): Promise<void>
}

interface Served {
  readonly aborting: AbortController
  readonly answers: Map<number, (reply: AskReply) => void>
  /** What is to be heard of whether it is wanted still. */
  readonly lates: Map<number, (isWanted: boolean) => void>
  forget: () => void
}

/** A sender that has not looked for so long is gone, and its call is aborted, in milliseconds. */
const forgottenMs = 30_000
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
  let ended = () => {}

  async function serve(call: CallForHolder, from: string): Promise<void> {
    const { ref, client, method, params, exclusive } = call
    const send = upstreams.get(call.upstream)
    if (served.has(ref)) return
    const mine: Served = { aborting: new AbortController(), answers: new Map(), lates: new Map(), forget: () => {} }
    served.set(ref, mine)
    watch(mine)
    let telling = Promise.resolve()
    // One after the other, so that the reply comes last.
    const tell = (word: FromHolder) => {
      const mail = { kind: 'held-back', ref, word: asWord(word) }
      telling = telling.then(() => insist(() => post.send(from, mail)))
    }
    used(call)
    const request: UpstreamRequest = {
      ...client,
      method,
      params,
      ...(exclusive !== undefined && { exclusive }),
      signal: mine.aborting.signal,
      hooks: hooksOf(call, mine, tell),
    }
    const isLate = clock.now().getTime() - call.at > lateMs
    const reply = isLate && !(await isWantedLate(request, mine)) ? notWanted : await send?.(request)
    used(call)
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

  function watch(mine: Served): void {
    mine.forget()
    mine.forget = clock.after(forgottenMs, () => mine.aborting.abort())
  }

  function hear(ref: string, word: FromSender, from: string): void {
    const mine = served.get(ref)
    switch (word.tell) {
      case 'look': {
        if (mine !== undefined) watch(mine)
        const back = asWord({ tell: mine === undefined ? 'unknown' : 'alive' })
        inBackground(post.send(from, { kind: 'held-back', ref, word: back }).catch(() => {}))
        break
      }
      case 'cancel':
        mine?.aborting.abort()
        break
      case 'answer':
        mine?.answers.get(word.ask)?.(word.reply)
        break
      case 'still':
        mine?.lates.get(word.ask)?.(word.isWanted)
        break
    }
  }

  const stops = [
    post.on('held-ping', (_, from) => inBackground(post.send(from, { kind: 'held-pong' }).catch(() => {}))),
    post.on('held-call', ({ call }, from) => inBackground(serve(call as unknown as CallForHolder, from))),
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

/** Passes on what the sender wants to hear of. */
function hooksOf(
  { hooks }: CallForHolder,
  { answers, lates }: Served,
  tell: (word: FromHolder) => void,
): UpstreamHooks {
  let asks = 0
  const all: Required<UpstreamHooks> = {
    late() {
      asks += 1
      const ask = asks
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
      asks += 1
      const ask = asks
      tell({ tell: 'asked', ask, method, params })
      signal.addEventListener('abort', () => tell({ tell: 'withdrawn', ask }), { once: true })
      return new Promise((resolve) => answers.set(ask, resolve))
    },
  }
  return Object.fromEntries(hooks.map((name) => [name, all[name]]))
}
