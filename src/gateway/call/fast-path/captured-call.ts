import type { StartedCall } from '../../../call/walk.ts'
import { codes } from '../../../mcp/codes.ts'
import type { KnownTool } from '../../catalog/fetch-list.ts'
import type {
  AskReply,
  StopListener,
  StopSignal,
  UpstreamEra,
  UpstreamHooks,
  UpstreamReply,
} from '../../upstream/upstream.ts'
import type { CallTimer } from '../time-call.ts'

type Send = (hooks: UpstreamHooks, signal: StopSignal) => Promise<UpstreamReply>

/** What is known of a call when it is sent. */
interface Facts {
  readonly started: StartedCall
  readonly tool: KnownTool
  /** What the upstream spoke when the call was sent. */
  readonly era: UpstreamEra
  readonly timer: CallTimer
}

/**
 * A call in flight for which only a plain result is expected. Anything else that the upstream sends is captured for the
 * SDK server's handler, which can take the call over. Nothing is sent twice.
 */
export class CapturedCall implements Facts {
  readonly started: StartedCall
  readonly tool: KnownTool
  readonly era: UpstreamEra
  readonly timer: CallTimer
  /** The reply, or undefined as soon as something else came first. */
  readonly plain: Promise<UpstreamReply | undefined>
  readonly #stop = new Stop()
  readonly #reply: Promise<UpstreamReply>
  #captured: ((hooks: UpstreamHooks) => void)[] | undefined
  #hooks: UpstreamHooks | undefined
  #owner: 'taker' | 'nobody' | undefined
  #resolve: (reply: UpstreamReply | undefined) => void = nothing

  constructor({ started, tool, era, timer }: Facts, send: Send) {
    this.started = started
    this.tool = tool
    this.era = era
    this.timer = timer
    this.#reply = send(this.#capturing(), this.#stop)
    this.plain = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reply.then(resolve, reject)
    })
  }

  /** Takes the call over. False: it was dropped before, and its end is in the audit. */
  take(): boolean {
    this.#owner ??= 'taker'
    return this.#owner === 'taker'
  }

  /** Aborts the call unless it was taken over. */
  drop(): boolean {
    this.#owner ??= 'nobody'
    if (this.#owner === 'taker') return false
    this.abort()
    return true
  }

  /** Stops waiting for a plain result: from here on somebody has to take the call over. */
  giveUp(): void {
    this.#resolve(undefined)
  }

  abort(): void {
    this.#stop.abort()
  }

  /** Replaces sending, for whoever took the call over: passes on what was captured, and waits for the reply. */
  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> {
    this.#hooks = hooks
    const captured = this.#captured ?? []
    this.#captured = undefined
    for (const pass of captured) pass(hooks)
    if (signal.aborted) this.abort()
    else signal.addEventListener('abort', () => this.abort(), { once: true })
    return this.#reply
  }

  #capturing(): UpstreamHooks {
    const later = (pass: (hooks: UpstreamHooks) => void): void => {
      if (this.#hooks === undefined) {
        this.#captured ??= []
        this.#captured.push(pass)
        this.giveUp()
      } else pass(this.#hooks)
    }
    return {
      progress: (params) => later((hooks) => hooks.progress?.(params)),
      log: (params) => later((hooks) => hooks.log?.(params)),
      completed: (id) => later((hooks) => hooks.completed?.(id)),
      asked: (method, params, signal) =>
        new Promise<AskReply>((resolve, reject) => {
          later(({ asked }) => {
            if (asked === undefined)
              resolve({ error: { code: codes.methodNotFound, message: 'Nobody can be asked here.' } })
            else asked(method, params, signal).then(resolve, reject)
          })
        }),
    }
  }
}

/** A cheap abort signal for a few listeners. A real `AbortSignal` would cost more than the rest of the fast path's bookkeeping. */
export class Stop implements StopSignal {
  aborted = false
  #listeners: StopListener[] = []

  addEventListener(_: 'abort', listener: StopListener): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_: 'abort', listener: StopListener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener)
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    for (const listener of this.#listeners) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }
}

function nothing(): void {}
