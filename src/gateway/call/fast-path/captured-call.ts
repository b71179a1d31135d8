import type { ToolCall } from '../../../approval/tool-call.ts'
import type { KnownTool } from '../../catalog/catalog.ts'
import type { AskReply, StopSignal, UpstreamEra, UpstreamHooks, UpstreamReply } from '../../upstream/upstream.ts'
import { Stop } from './stop.ts'

/** A call that is started and under way at its upstream. Whoever takes it over goes on with it: nothing is sent twice. */
export interface StartedCall {
  /** The walk that the audit knows it by. */
  readonly walkId: string
  readonly call: ToolCall
  readonly tool: KnownTool
  /** What the upstream spoke when it was sent. */
  readonly era: UpstreamEra
  /** Whoever asks first may go on with it. False: it was given up meanwhile, and the audit knows its end. */
  take(): boolean
  /** Takes the place of sending it: what came so far is told, and the reply is waited for. */
  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply>
}

type Send = (hooks: UpstreamHooks, signal: StopSignal) => Promise<UpstreamReply>

/** Sends a call for somebody who wants a plain result, and keeps whatever else comes for one who can do more with it. */
export class CapturedCall implements StartedCall {
  readonly walkId: string
  readonly call: ToolCall
  readonly tool: KnownTool
  readonly era: UpstreamEra
  /** The reply, or undefined as soon as something else came first. */
  readonly plain: Promise<UpstreamReply | undefined>
  readonly #stop = new Stop()
  readonly #reply: Promise<UpstreamReply>
  #queue: ((hooks: UpstreamHooks) => void)[] | undefined
  #hooks: UpstreamHooks | undefined
  #owner: 'taker' | 'nobody' | undefined
  #resolve: (reply: UpstreamReply | undefined) => void = nothing

  constructor({ walkId, call, tool, era }: Omit<StartedCall, 'send' | 'take'>, send: Send) {
    this.walkId = walkId
    this.call = call
    this.tool = tool
    this.era = era
    this.#reply = send(this.#listener(), this.#stop)
    this.plain = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reply.then(resolve, reject)
    })
  }

  take(): boolean {
    this.#owner ??= 'taker'
    return this.#owner === 'taker'
  }

  /** Gives it up, unless somebody took it over. */
  drop(): boolean {
    this.#owner ??= 'nobody'
    if (this.#owner === 'taker') return false
    this.abort()
    return true
  }

  /** From here on it is for whoever takes it over. */
  giveUp(): void {
    this.#resolve(undefined)
  }

  /** Nobody wants the reply any more. */
  abort(): void {
    this.#stop.abort()
  }

  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> {
    this.#hooks = hooks
    const waiting = this.#queue ?? []
    this.#queue = undefined
    for (const tell of waiting) tell(hooks)
    if (signal.aborted) this.abort()
    else signal.addEventListener('abort', () => this.abort(), { once: true })
    return this.#reply
  }

  #listener(): UpstreamHooks {
    const later = (tell: (hooks: UpstreamHooks) => void): void => {
      if (this.#hooks === undefined) {
        this.#queue ??= []
        this.#queue.push(tell)
        this.giveUp()
      } else tell(this.#hooks)
    }
    return {
      progress: (params) => later((hooks) => hooks.progress?.(params)),
      log: (params) => later((hooks) => hooks.log?.(params)),
      completed: (id) => later((hooks) => hooks.completed?.(id)),
      asked: (method, params, signal) =>
        new Promise<AskReply>((resolve, reject) => {
          later(({ asked }) => {
            if (asked === undefined) resolve({ error: { code: -32_601, message: 'Nobody can be asked here.' } })
            else asked(method, params, signal).then(resolve, reject)
          })
        }),
    }
  }
}

function nothing(): void {}
