import type { AssentForServers } from '../../../asking/needs.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { StartedCall } from '../../../call/walk.ts'
import { codes } from '../../../mcp/codes.ts'
import { AskRefused } from '../../../mcp/refusal.ts'
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

/** What is known of a call when it is sent. */
interface Facts {
  readonly started: StartedCall
  readonly tool: KnownTool
  /** What the upstream spoke when the call was sent. */
  readonly era: UpstreamEra
  readonly timer: CallTimer
  readonly approvals: Pick<AssentForServers['approvals'], 'lookAgain'>
}

/**
 * A call in flight for which only a plain result is expected. Anything else that the upstream sends is captured for the
 * SDK server's handler, which can take the call over. Nothing is sent twice.
 */
export class CapturedCall implements Facts, UpstreamHooks {
  readonly started: StartedCall
  readonly tool: KnownTool
  readonly era: UpstreamEra
  readonly timer: CallTimer
  readonly approvals: Facts['approvals']
  /** Why it was not sent, though it was started: it had to wait, and what let it run no longer held. */
  refused: unknown
  /** Given to the upstream with the request. */
  readonly stop: StopSignal & { abort(): void } = new Stop()
  /** The reply, or undefined as soon as something else came first. */
  readonly plain: Promise<UpstreamReply | undefined>
  /** Set if what came is a result that asks by forms only. */
  asksByForms = false
  #reply: Promise<UpstreamReply> | undefined
  #captured: ((hooks: UpstreamHooks) => void)[] | undefined
  #hooks: UpstreamHooks | undefined
  #owner: 'taker' | 'nobody' | undefined
  #isGivenUp = false
  #resolve: (reply: UpstreamReply | undefined) => void = nothing
  #reject: (error: unknown) => void = nothing

  constructor({ started, tool, era, timer, approvals }: Facts) {
    this.started = started
    this.tool = tool
    this.era = era
    this.timer = timer
    this.approvals = approvals
    this.plain = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** The call was sent with this as its hooks. */
  begin(reply: Promise<UpstreamReply>): void {
    this.#reply = reply
    reply.then(this.#resolve, this.#reject)
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
    this.#isGivenUp = true
    this.#resolve(undefined)
  }

  /** Aborts the call if only a plain result is waited for. */
  clientGone(): void {
    if (!this.#isGivenUp) this.abort()
  }

  abort(): void {
    this.stop.abort()
  }

  /** Replaces sending, for whoever took the call over: passes on what was captured, and waits for the reply. */
  send(hooks: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> {
    this.#hooks = hooks
    const captured = this.#captured ?? []
    this.#captured = undefined
    for (const pass of captured) pass(hooks)
    if (signal.aborted) this.abort()
    else signal.addEventListener('abort', () => this.abort(), { once: true })
    return this.#reply as Promise<UpstreamReply>
  }

  async late(): Promise<boolean> {
    try {
      const refusal = await this.approvals.lookAgain(this.started)
      if (refusal === undefined) return true
      this.refused = new AskRefused(refusal.status, refusal.message, refusal.reason)
    } catch (error) {
      this.refused = error
    }
    return false
  }

  progress(params: JsonObject): void {
    this.#later((hooks) => hooks.progress?.(params))
  }

  log(params: JsonObject): void {
    this.#later((hooks) => hooks.log?.(params))
  }

  completed(id: string): void {
    this.#later((hooks) => hooks.completed?.(id))
  }

  asked(method: string, params: JsonObject, signal: AbortSignal): Promise<AskReply> {
    return new Promise<AskReply>((resolve, reject) => {
      this.#later(({ asked }) => {
        if (asked === undefined)
          resolve({ error: { code: codes.methodNotFound, message: 'Nobody can be asked here.' } })
        else asked(method, params, signal).then(resolve, reject)
      })
    })
  }

  #later(pass: (hooks: UpstreamHooks) => void) {
    if (this.#hooks !== undefined) return pass(this.#hooks)
    this.#captured ??= []
    this.#captured.push(pass)
    this.giveUp()
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
