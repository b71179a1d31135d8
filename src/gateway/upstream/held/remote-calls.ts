import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { Post } from '../../../instance/post.ts'
import { downstreamClientOf } from '../client-keys.ts'
import { replyOrError } from '../conversation.ts'
import { isStillWanted } from '../pending-request.ts'
import type { AskReply, Lost, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { insist } from './insist.ts'
import { asWord, type CallForHolder, type FromHolder, type FromSender, hookNames } from './wire.ts'

/** Sends requests to the instances that hold the sessions they belong to, through the mailbox. */
export interface RemoteCalls {
  /** Whether an instance was heard of just now. */
  isAtWork(holder: string): boolean
  /**
   * Whether an instance is at work. One that was killed keeps its place for some seconds, and what is left for it then is read by
   * nobody: so it is asked first, unless it was heard of just now.
   */
  reach(holder: string, signal: UpstreamRequest['signal']): Promise<Reached>
  /** Undefined: the holder is gone, and nothing was sent. */
  call(holder: string, upstream: string, request: UpstreamRequest): Promise<UpstreamReply | undefined>
  close(): void
}

/** `silent`: the store says that it runs, but it does not answer. */
type Reached = 'there' | 'gone' | 'silent' | 'cancelled'

/** An instance that was heard of so lately is at work, in milliseconds. */
const heardMs = 2_000
/** How often an instance that does not answer is asked again, in milliseconds. */
const askEveryMs = 1_000
/** How often the holder is asked whether the call is still there, in milliseconds. */
const lookEveryMs = 2_500
/** A holder that says nothing for so long, though it runs, is taken for gone, in milliseconds. */
const patienceMs = 30_000

export function createRemoteCalls(post: Post, clock: Clock): RemoteCalls {
  const calls = new Map<string, RemoteCall>()
  const heardAt = new Map<string, number>()
  const reaching = new Map<string, Promise<Reached>>()
  const wakes = new Map<string, () => void>()
  const now = () => clock.now().getTime()

  function heard(from: string): void {
    heardAt.set(from, now())
    wakes.get(from)?.()
  }

  const isAtWork = (holder: string) => now() - (heardAt.get(holder) ?? 0) < heardMs

  async function ask(holder: string): Promise<Reached> {
    const until = now() + patienceMs
    while (now() < until) {
      // While the store cannot be reached, nothing is known.
      const isSent = await post.send(holder, { kind: 'held-ping' }).catch(() => undefined)
      if (isSent === false) {
        heardAt.delete(holder)
        return 'gone'
      }
      await new Promise<void>((resolve) => {
        const callOff = clock.after(askEveryMs, resolve)
        wakes.set(holder, () => {
          callOff()
          resolve()
        })
      })
      if (isAtWork(holder)) return 'there'
    }
    return 'silent'
  }

  const stops = [
    post.on('held-pong', (_, from) => heard(from)),
    post.on('held-back', ({ ref, word }, from) => {
      heard(from)
      calls.get(String(ref))?.hear(word as unknown as FromHolder)
    }),
  ]
  return {
    isAtWork,
    async reach(holder, signal) {
      if (signal.aborted) return 'cancelled'
      if (isAtWork(holder)) return 'there'
      const asked =
        reaching.get(holder) ??
        ask(holder).finally(() => {
          reaching.delete(holder)
          wakes.delete(holder)
        })
      reaching.set(holder, asked)
      return new Promise<Reached>((resolve) => {
        const cancel = { handleEvent: () => resolve('cancelled') }
        signal.addEventListener('abort', cancel, { once: true })
        inBackground(
          asked.then((reached) => {
            signal.removeEventListener('abort', cancel)
            resolve(reached)
          }),
        )
      })
    },
    async call(holder, upstream, request) {
      const call = new RemoteCall({ post, clock, holder, request, over: (ref) => calls.delete(ref) })
      calls.set(call.ref, call)
      const isSent = await call.send(upstream)
      if (isSent) return call.ended
      calls.delete(call.ref)
      return undefined
    },
    close() {
      for (const stop of stops) stop()
      for (const call of calls.values()) call.end(lost('closed', 'the gateway is shutting down'))
    },
  }
}

interface RemoteCallParts {
  readonly post: Post
  readonly clock: Clock
  readonly holder: string
  readonly request: UpstreamRequest
  over(ref: string): void
}

/** A request that another instance sends. */
class RemoteCall {
  readonly ref = randomUUID()
  readonly ended: Promise<UpstreamReply>
  readonly #parts: RemoteCallParts
  readonly #asks = new Map<number, AbortController>()
  readonly #answers = new Map<number, AskReply>()
  readonly #stopping = new AbortController()
  #resolve: (reply: UpstreamReply) => void = () => {}
  #heardAt: number
  #callOff = () => {}

  constructor(parts: RemoteCallParts) {
    this.#parts = parts
    this.#heardAt = parts.clock.now().getTime()
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** False: the holder is gone, and the request with nobody. */
  async send(upstream: string): Promise<boolean> {
    const { post, holder, request } = this.#parts
    const { method, params, exclusive, hooks, signal } = request
    if (signal.aborted) {
      this.end(cancelled(false))
      return true
    }
    const call: CallForHolder = {
      ref: this.ref,
      upstream,
      client: downstreamClientOf(request),
      method,
      params,
      ...(exclusive !== undefined && { exclusive }),
      hooks: hookNames.filter((name) => hooks?.[name] !== undefined),
    }
    signal.addEventListener('abort', this, { once: true })
    try {
      const isSent = await post.send(holder, { kind: 'held-call', call: asWord(call) })
      if (isSent) this.#look()
      else signal.removeEventListener('abort', this)
      return isSent
    } catch {
      // The mail may have been kept all the same.
      this.end(lost('broken', 'the store could not be reached'))
      return true
    }
  }

  /** The sender's client cancelled. */
  handleEvent(): void {
    this.#tell({ tell: 'cancel' })
    this.end(cancelled(true))
  }

  hear(word: FromHolder): void {
    this.#heardAt = this.#parts.clock.now().getTime()
    const { hooks } = this.#parts.request
    switch (word.tell) {
      case 'alive':
        break
      case 'unknown':
        this.end(lost('broken', 'the instance that held the session does not know the request'))
        break
      case 'reply':
        this.end(word.reply)
        break
      case 'late':
        inBackground(
          isStillWanted(this.#parts.request).then((isWanted) => this.#tell({ tell: 'still', ask: word.ask, isWanted })),
        )
        break
      case 'progress':
        hooks?.progress?.(word.params)
        break
      case 'log':
        hooks?.log?.(word.params)
        break
      case 'completed':
        hooks?.completed?.(word.id)
        break
      case 'notification':
        hooks?.notification?.(word.method, word.params)
        break
      case 'asked':
        inBackground(this.#asked(word))
        break
      case 'withdrawn':
        this.#asks.get(word.ask)?.abort()
        break
    }
  }

  end(reply: UpstreamReply): void {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    this.#callOff()
    this.#parts.request.signal.removeEventListener('abort', this)
    for (const ask of this.#asks.values()) ask.abort()
    this.#parts.over(this.ref)
    this.#resolve(reply)
  }

  async #asked({ ask, method, params }: Extract<FromHolder, { tell: 'asked' }>): Promise<void> {
    const given = this.#answers.get(ask)
    // It was lost on its way.
    if (given !== undefined) return this.#tell({ tell: 'answer', ask, reply: given })
    const { hooks } = this.#parts.request
    const hook = hooks?.asked
    if (this.#asks.has(ask) || hook === undefined) return
    const withdrawing = new AbortController()
    this.#asks.set(ask, withdrawing)
    const reply = await replyOrError(() => hook.call(hooks, method, params, withdrawing.signal))
    this.#asks.delete(ask)
    if (withdrawing.signal.aborted) return
    this.#answers.set(ask, reply)
    this.#tell({ tell: 'answer', ask, reply })
  }

  #tell(word: FromSender): void {
    const { post, holder } = this.#parts
    inBackground(insist(() => post.send(holder, { kind: 'held-tell', ref: this.ref, word: asWord(word) })))
  }

  #look(): void {
    const { post, clock, holder } = this.#parts
    this.#callOff = clock.after(lookEveryMs, async () => {
      const word = asWord({ tell: 'look', asks: [...this.#asks.keys()] })
      const look = { kind: 'held-tell', ref: this.ref, word }
      // While the store cannot be reached, nothing is known.
      const isThere = await post.send(holder, look).catch(() => undefined)
      if (this.#stopping.signal.aborted) return
      if (isThere === false) return this.end(lost('broken', 'the instance that held the session is gone'))
      if (clock.now().getTime() - this.#heardAt > patienceMs) {
        return this.end(lost('silent', 'the instance that holds the session says nothing'))
      }
      this.#look()
    })
  }
}

const lost = (reason: Lost['reason'], detail: string): Lost => ({ kind: 'lost', reason, sent: true, detail })

const cancelled = (sent: boolean): Lost => ({
  kind: 'lost',
  reason: 'cancelled',
  sent,
  detail: 'the caller cancelled the request',
})
