import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Json } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import type { Post, Word } from '../../instance/post.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { UpstreamReply } from '../upstream/upstream.ts'
import type { OpenAsk, ParkedCall, Parking } from './parking.ts'

/** A parked call that a request of its client works on, at whichever instance it lives. */
export interface HeldCall {
  readonly call: ParkedCall
  /** The round is over, and the client has to come back. */
  leave(): void
  /** The client gets the reply, or is gone for good. */
  end(): void
}

/** Lets a client come back at any instance to a call that is parked at one of them. Nothing is ever sent twice. */
export interface ParkedElsewhere {
  /** The call that is parked at this other instance. Throws if the instance, or the call there, is gone. */
  find(walkId: string, owner: string, signal: AbortSignal): Promise<HeldCall>
  close(): void
}

/** How a parked call stands, as its owner tells it. */
interface State {
  readonly asks: readonly OpenAsk[]
  readonly overdue: readonly string[]
  readonly reply?: UpstreamReply
}

/** How often the owner is asked how the call stands, and whether it is still there, in milliseconds. */
const lookEveryMs = 2_500
/** Who has not looked for so long is not told any more, in milliseconds. */
const forgottenMs = 10_000
/** An owner that says nothing for so long, though it runs, is taken for gone, in milliseconds. */
const patienceMs = 30_000

export function createParkedElsewhere(parking: Parking, post: Post, clock: Clock): ParkedElsewhere {
  const remote = new Map<string, RemoteCall>()
  const told = new Map<string, () => void>()

  /** Tells whoever looks how the call stands, now and at each change, for as long as they look. */
  function tell(walkId: string, ref: string, to: string): void {
    told.get(ref)?.()
    const call = parking.find(walkId)
    const stopping = new AbortController()
    const callOff = clock.after(forgottenMs, () => stop())
    const stop = () => {
      callOff()
      stopping.abort()
      if (told.get(ref) === stop) told.delete(ref)
    }
    told.set(ref, stop)
    const say = (state: State | undefined) =>
      post.reply(to, { kind: 'parked-state', ref, ...(state && { state: state as unknown as Json }) }).catch(() => {})
    const telling = async () => {
      while (!stopping.signal.aborted) {
        await say(call && stateOf(call))
        if (call === undefined || call.reply !== undefined) return
        await call.changed(stopping.signal)
      }
    }
    inBackground(telling())
  }

  function act({ walkId, ref, act, key, reply }: Word, from: string): void {
    const id = String(walkId)
    switch (act) {
      case 'look':
        parking.touch(id)
        tell(id, String(ref), from)
        break
      case 'answer':
        parking.find(id)?.answer(String(key), reply as never)
        break
      case 'leave':
        told.get(String(ref))?.()
        parking.touch(id)
        break
      case 'end':
        told.get(String(ref))?.()
        parking.end(id)
        break
    }
  }

  const stops = [
    post.on('parked', act),
    post.on('parked-state', ({ ref, state }) => remote.get(String(ref))?.stands(state as State | undefined)),
  ]

  return {
    async find(walkId, owner, signal) {
      const ref = randomUUID()
      const say = (word: { readonly act: string } & { readonly [key: string]: Json }) =>
        post.send(owner, { kind: 'parked', walkId, ref, ...word })
      const call = new RemoteCall((key, reply) => inBackground(say({ act: 'answer', key, reply }).catch(() => {})))
      remote.set(ref, call)
      const over = (act: string) => {
        if (!remote.delete(ref)) return
        callOff()
        inBackground(say({ act }).catch(() => {}))
      }
      let callOff = () => {}
      const look = async (): Promise<void> => {
        // An owner that cannot be told is gone. While the store cannot be reached, nothing is known.
        const isThere = await say({ act: 'look' }).catch(() => undefined)
        if (!remote.has(ref)) return
        if (isThere === false || clock.now().getTime() - call.heardAt > patienceMs) return call.lose(ownerGone())
        callOff = clock.after(lookEveryMs, () => inBackground(look()))
      }
      call.heard = () => clock.now().getTime()
      call.heardAt = clock.now().getTime()
      await look()
      try {
        await call.known(signal)
      } catch (error) {
        over('leave')
        throw error
      }
      return { call, leave: () => over('leave'), end: () => over('end') }
    },
    close() {
      for (const stop of [...stops, ...told.values()]) stop()
      for (const call of remote.values()) call.lose(ownerGone())
      remote.clear()
    },
  }
}

function stateOf(call: ParkedCall): State {
  const asks = call.asks.map(({ key, method, params }) => ({ key, method, params }))
  return { asks, overdue: call.overdue, ...(call.reply && { reply: call.reply }) }
}

/** A call that is parked at another instance, as far as this one has heard. */
class RemoteCall implements ParkedCall {
  heardAt = 0
  heard: () => number = () => 0
  readonly #send: (key: string, reply: Json) => void
  readonly #answers = new Map<string, Json>()
  readonly #listeners = new Set<() => void>()
  #state: State | undefined
  #lost: AskRefused | undefined

  constructor(send: (key: string, reply: Json) => void) {
    this.#send = send
  }

  /** The owner says how the call stands. Undefined: it does not know the call. */
  stands(state: State | undefined): void {
    this.heardAt = this.heard()
    if (state === undefined) {
      this.lose(callGone())
      return
    }
    this.#state = state
    // The owner may have said this before the answer came, or never got it.
    for (const { key } of state.asks) {
      const given = this.#answers.get(key)
      if (given !== undefined) this.#send(key, given)
    }
    this.#tell()
  }

  lose(why: AskRefused): void {
    // A reply that is here is not lost with the one that sent it.
    if (this.#state?.reply !== undefined) return
    this.#lost = why
    this.#tell()
  }

  /** Resolves when the owner has said how the call stands. */
  async known(signal: AbortSignal): Promise<void> {
    while (this.#state === undefined) {
      await this.changed(signal)
      if (signal.aborted)
        throw new AskRefused('cancelled', 'The client disconnected or cancelled the call.', 'requester-gone')
    }
  }

  /** What was answered is not asked again, though the owner may not know of the answer yet. */
  get asks(): readonly OpenAsk[] {
    return (this.#state?.asks ?? []).filter(({ key }) => !this.#answers.has(key))
  }

  get reply(): UpstreamReply | undefined {
    return this.#state?.reply
  }

  get overdue(): readonly string[] {
    return this.#state?.overdue ?? []
  }

  isOverdue(key: string): boolean {
    return this.overdue.includes(key)
  }

  answer(key: string, reply: Parameters<ParkedCall['answer']>[1]): void {
    this.#answers.set(key, reply as unknown as Json)
    this.#send(key, reply as unknown as Json)
  }

  changed(signal: AbortSignal): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#listeners.delete(done)
        signal.removeEventListener('abort', done)
        if (this.#lost === undefined) resolve()
        else reject(this.#lost)
      }
      this.#listeners.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** The call is nowhere any more. */
export function callGone(): AskRefused {
  const message =
    'The call that asked this is gone: too much time passed, or the gateway was restarted. It may have run in part, and is not made again.'
  return new AskRefused('failed', message, 'parked-call-gone')
}

function ownerGone(): AskRefused {
  const message =
    'The instance of the gateway that held this call is gone, and nothing is known of its end. It may have run, and is not made again.'
  return new AskRefused('failed', message, 'parked-call-gone')
}
