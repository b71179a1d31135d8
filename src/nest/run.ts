import type { Account, ConnectionOptions } from '../asking/account.ts'
import { approveCall, withApproval } from '../asking/approval/approve-call.ts'
import { type ApprovalOptions, decidedByHandler, toolCallOf } from '../asking/approval/tool-call.ts'
import type { Asks } from '../asking/asks.ts'
import type { RequestContext } from '../asking/context.ts'
import type { Round } from '../asking/rounds/round.ts'
import type { JsonObject } from '../base/json.ts'
import type { StartedCall } from '../call/walk.ts'
import type { Answerer } from '../elicitation/answering/answerers.ts'
import { type ExplicitAsking, explicitAsking } from '../server/explicit.ts'

/** What `context.elicitation` is, in tools, prompts and resources. */
export interface ContextElicitation extends Omit<ExplicitAsking, 'findByUserAndType'> {
  /**
   * The latest answer of the verified user. Another user's is never found: `userId` may be the user's `sub`, their
   * participant, or left out, and finds nothing otherwise.
   */
  findByUserAndType(userId: string | undefined, type: string): ReturnType<ExplicitAsking['findByUserAndType']>
  /** Asks in straight-line code. The handler runs again from the top when a 2026 client comes back with the answer. */
  readonly ask: Asks
  /** The account that `@RequireConnection` has brought for this call. Throws where it was not required. */
  account(provider: string): Account
}

/**
 * Ends a run of a handler whose question a 2026 client takes to its person. The handler runs again with the answer.
 * Let it pass: what a handler returns after it is not used.
 */
export class AskPending extends Error {
  constructor() {
    super('A person is asked. This handler runs again when they have answered.')
    this.name = 'AskPending'
  }
}

/** How the rest of the pipeline ended, for an approved call. */
type Ran = { readonly result: unknown } | { readonly error: unknown }

/** One run of Nest's pipeline for one request, as its handler and decorators see it. */
export interface Run {
  readonly elicitation: ContextElicitation
  /** Runs the rest of the pipeline if the call is approved: by policy, or as `decided` says. */
  approved(
    decided: ({ readonly message: string } & ApprovalOptions) | undefined,
    run: (edited: JsonObject | undefined) => Promise<unknown>,
  ): Promise<unknown>
  /** Asks for the account, and keeps it for the handler. */
  connect(provider: string, options: ConnectionOptions): Promise<void>
}

/** What a run knows besides its request. */
export interface RunSettings {
  /** The verified subject of the sender; undefined for the local person. */
  subOf(): string | undefined
  /** Who may approve where a decorator names nobody; undefined: the requester. */
  readonly approvers: readonly string[] | undefined
}

/** A run that may ask, and what it was told. */
export class PipelineRun implements Run {
  /** Set when the questions of this run go to the client: whatever the pipeline returns now is not used. */
  isOver = false
  /** What an ask threw last. Nest's filters hide it from whoever called the pipeline. */
  thrown: Error | undefined
  readonly #approvers: RunSettings['approvers']
  readonly #context: RequestContext
  readonly #round: Round
  readonly #ask: Asks
  readonly #subOf: RunSettings['subOf']
  #elicitation: ContextElicitation | undefined
  #over: Promise<never> | undefined
  readonly #accounts = new Map<string, Account>()

  constructor(context: RequestContext, ask: Asks, round: Round, { subOf, approvers }: RunSettings) {
    this.#approvers = approvers
    this.#context = context
    this.#round = round
    this.#ask = ask
    this.#subOf = subOf
  }

  // Made on demand: most calls ask nothing.
  get elicitation(): ContextElicitation {
    this.#elicitation ??= this.#elicitationFor(this.#endingAsks(this.#ask), this.#subOf())
    return this.#elicitation
  }

  /** Runs one ask. When its question goes to the client instead, it throws, so that the pipeline comes to its end. */
  during<T>(ask: () => Promise<T>): Promise<T> {
    this.#over ??= this.#round.over.then(() => {
      this.isOver = true
      throw new AskPending()
    })
    const asking = Promise.race([this.#noting(ask), this.#over])
    // A handler may start several asks, and end by the first that throws.
    asking.catch(() => {})
    return asking
  }

  approved(
    decided: ({ readonly message: string } & ApprovalOptions) | undefined,
    run: (edited: JsonObject | undefined) => Promise<unknown>,
  ): Promise<unknown> {
    const context = this.#context
    const { message = '', key = 'approval of the call', approvers = this.#approvers, ...rest } = decided ?? {}
    const options = { ...rest, ...(approvers !== undefined && { approvers: approvers as readonly Answerer[] }) }
    return this.during(async () => {
      const ran = await approveCall<Ran>(context, this.#round, {
        key,
        call: toolCallOf(context),
        ...(decided !== undefined && { byHandler: decidedByHandler(context, message, options) }),
        send: async (started) => {
          const end = await this.#rest(started, run)
          return { result: end, outcome: outcomeOf(end) }
        },
      })
      if ('error' in ran) throw ran.error
      return ran.result
    })
  }

  async connect(provider: string, options: ConnectionOptions): Promise<void> {
    this.#accounts.set(provider, await this.elicitation.ask.connection(provider, options))
  }

  async #rest(started: StartedCall, run: (edited: JsonObject | undefined) => Promise<unknown>): Promise<Ran> {
    try {
      const result = await run(started.changes.length === 0 ? undefined : started.call.arguments)
      return { result: isObject(result) ? withApproval(result as never, started) : result }
    } catch (error) {
      // The call is not over: its handler runs again with the answer.
      if (this.isOver) return new Promise<never>(() => {})
      return { error }
    }
  }

  async #noting<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      this.thrown = error as Error
      throw error
    }
  }

  #endingAsks(ask: Asks): Asks {
    return {
      form: (...given) => this.during(() => ask.form(...given)),
      url: (...given) => this.during(() => ask.url(...given)),
      secret: (...given) => this.during(() => ask.secret(...given)),
      connection: (...given) => this.during(() => ask.connection(...given)),
      confirm: (...given) => this.during(() => ask.confirm(...given)),
      approval: (...given) => this.during(() => ask.approval(...given)),
      once: (name, work) => ask.once(name, work),
    }
  }

  #elicitationFor(ask: Asks, sub: string | undefined): ContextElicitation {
    const explicit = explicitAsking(this.#context.ctx, ask)
    const { participant } = this.#context.call.requester
    return {
      ...explicit,
      ask,
      throwRequired: (urls) => {
        try {
          return explicit.throwRequired(urls)
        } catch (error) {
          this.thrown = error as Error
          throw error
        }
      },
      async findByUserAndType(userId, type) {
        const isOwn = userId === undefined || userId === participant || userId === sub
        return isOwn ? explicit.findByUserAndType(participant, type) : undefined
      },
      account: (provider) => {
        const account = this.#accounts.get(provider)
        if (account !== undefined) return account
        throw new TypeError(`Put @RequireConnection('${provider}') on this handler, to get its account.`)
      },
    }
  }
}

function outcomeOf(ran: Ran): 'done' | 'failed' {
  if ('error' in ran) return 'failed'
  return isObject(ran.result) && ran.result.isError === true ? 'failed' : 'done'
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const runKey = Symbol('the run of a request in Assent')

interface Remembering {
  [runKey]?: Run
}

/** Makes a run available to the handler, which gets the SDK's context only. A property: see `rememberContext`. */
export function rememberRun(ctx: object, run: Run): void {
  ;(ctx as Remembering)[runKey] = run
}

/** The run of a request; undefined where the module is absent. */
export function runOf(ctx: object | undefined): Run | undefined {
  return (ctx as Remembering | undefined)?.[runKey]
}
