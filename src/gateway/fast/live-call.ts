import type { ToolCall } from '../../approval/tool-call.ts'
import type { KnownTool } from '../catalog.ts'
import type { AskReply, UpstreamEra, UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'

/** A call that is started and under way at its upstream. Whoever takes it over goes on with it: nothing is sent twice. */
export interface InHand {
  /** The walk that the audit knows it by. */
  readonly walk: string
  readonly call: ToolCall
  readonly tool: KnownTool
  /** What the upstream spoke when it was sent. */
  readonly era: UpstreamEra
  /** Takes the place of sending it: what came so far is told, and the reply is waited for. */
  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply>
}

type Send = (hooks: UpstreamHooks, signal: AbortSignal) => Promise<UpstreamReply>

/** Sends a call for somebody who wants a plain result, and keeps whatever else comes for one who can do more with it. */
export class LiveCall implements InHand {
  readonly walk: string
  readonly call: ToolCall
  readonly tool: KnownTool
  readonly era: UpstreamEra
  /** The reply, or undefined as soon as something else came first. */
  readonly plain: Promise<UpstreamReply | undefined>
  readonly #ending = new AbortController()
  readonly #reply: Promise<UpstreamReply>
  readonly #waiting: ((hooks: UpstreamHooks) => void)[] = []
  #hooks: UpstreamHooks | undefined
  #giveUp: () => void = () => {}

  constructor({ walk, call, tool, era }: Omit<InHand, 'send'>, send: Send) {
    this.walk = walk
    this.call = call
    this.tool = tool
    this.era = era
    this.#reply = send(this.#listener(), this.#ending.signal)
    this.plain = new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined)
      this.#reply.then(resolve, reject)
    })
  }

  /** Somebody took it over. */
  get isTaken(): boolean {
    return this.#hooks !== undefined
  }

  /** From here on it is for whoever takes it over. */
  giveUp(): void {
    this.#giveUp()
  }

  /** Nobody wants the reply any more. */
  abort(): void {
    this.#ending.abort()
  }

  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> {
    this.#hooks = hooks
    for (const tell of this.#waiting.splice(0)) tell(hooks)
    if (signal.aborted) this.abort()
    else signal.addEventListener('abort', () => this.abort(), { once: true })
    return this.#reply
  }

  #listener(): UpstreamHooks {
    const later = (tell: (hooks: UpstreamHooks) => void): void => {
      if (this.#hooks === undefined) {
        this.#waiting.push(tell)
        this.#giveUp()
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
