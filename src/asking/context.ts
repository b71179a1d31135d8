import type { ServerContext } from '@modelcontextprotocol/server'
import type { Running } from '../approval/look-again.ts'
import type { ToolFacts } from '../approval/tool-call.ts'
import { type Duration, milliseconds } from '../base/durations.ts'
import type { JsonObject } from '../base/json.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import type { Caller } from '../mcp/caller.ts'
import type { Quirk } from '../mcp/quirks.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { CallIdentity } from '../mcp/request-state.ts'
import type { Person } from '../participant/identify.ts'
import type { AssentForServers } from './needs.ts'
import type { WalkState } from './rounds/walk-state.ts'

/** Time limits in milliseconds. */
export interface ServerClocks {
  /** How long a person has to answer. */
  readonly question: number
  /** How long a retry is held open while a person is on a page. */
  readonly hold: number
  /** How long a 2026 client may take until it sends its state back. */
  readonly state: number
  /** How long `elicitation/track` waits when the client does not say. */
  readonly track: number
}

/** The clocks of asking, as an author gives them. */
export interface ServerClockOptions {
  /** How long a person has to answer. Default: Assent's `clocks.question`. */
  readonly question?: Duration
  /** How long a retry is held open while a person is on a page. Default: 45 seconds. */
  readonly hold?: Duration
  /** How long a 2026 client may take until it sends its state back. Default: 15 minutes. */
  readonly state?: Duration
  /** How long `elicitation/track` waits. Default: 300 seconds. */
  readonly track?: Duration
}

export function serverClocks(
  { questionMs }: Pick<AssentForServers, 'questionMs'>,
  { question = questionMs, hold = '45s', state = '15m', track = '300s' }: ServerClockOptions,
): ServerClocks {
  return {
    question: milliseconds(question),
    hold: milliseconds(hold),
    state: milliseconds(state),
    track: milliseconds(track),
  }
}

/** The 2025 sessions whose client answered unseen. */
export interface UnseenSessions {
  add(sessionId: string): void
  has(sessionId: string | undefined): boolean
}

/** Settings of one server that asks. */
export interface AskingSettings {
  readonly assent: AssentForServers
  /** The server's name for people. */
  readonly name: string
  /** What the states of this server's requests are bound to. Left out: its name. */
  readonly boundTo?: string
  /** Whose tool a name is, for the audit. Left out: this server's. */
  ownerOf?(tool: string): { readonly server: string; readonly tool: string }
  readonly clocks: ServerClocks
  /** How a client of 2025-11-25 is sent to a page: by a request during the call, or by the error -32042, after which it calls again. */
  readonly urlBy: 'push' | 'error'
  /** Assume url mode for 2025 clients without a session, and send them to pages by the error -32042. */
  readonly assumeUrl: boolean
  /** Whether questions wait in the inbox where the client cannot be asked. */
  inbox(): boolean
  /** What named clients do differently from what they declare. */
  readonly quirks: readonly Quirk[]
  /** For clients without such a quirk of their own: an answer that comes sooner was given by no person. */
  readonly unseenWithin?: Duration | undefined
  readonly unseenSessions: UnseenSessions
}

/** The tools of an MCP server, as their author registered them. */
export interface ToolSource {
  /** What a decision about a call of this tool is based on. */
  factsOf(name: string): ToolFacts
  /** Reads arguments with the tool's own schema: what an approver edited must still be what the handler takes. */
  readArguments(name: string, given: JsonObject): Promise<{ readonly value: unknown } | { readonly problem: string }>
}

/** One MCP request that may ask: who sent it, how its client can be asked, and where its walk stands. */
export interface RequestContext extends AskingSettings, Caller {
  readonly ctx: ServerContext
  readonly call: CallIdentity
  readonly person: Person
  /** All that the client declared. */
  readonly capabilities: JsonObject
  /** Whether the server can send this client a request while its own is in progress. */
  readonly canPush: boolean
  /** Undefined in the gateway, whose tools belong to its upstreams. */
  readonly tools: ToolSource | undefined
  /** The client's answers to the questions of the round before. */
  readonly responses: ReadonlyMap<string, unknown>
  /** Whether the request came with a `requestState` of ours. */
  readonly isRetry: boolean
  /** Resolves when a 2025 client may be asked. */
  readonly ready: Promise<void>
  /** Notes that this client asked a question. If its session ends before the answer, the question says so. */
  attend(id: ElicitationId): void
  /** Tells the client that a page it was sent to is done (E11-20). */
  complete(id: ElicitationId): Promise<void>
  /** The same once the question is settled, by whichever process, even after this request was answered. */
  completeLater(id: ElicitationId): void
  /** Modes that a 2026 client would have needed to declare. If any, the request ends with an error naming them (B26-10). */
  readonly lacks: ('form' | 'url')[]
  /** Where the walk stands. It is updated while the handler runs. */
  readonly walk: WalkState
  /** What was approved and started in this request. Before anything more is done for it, `lookAgain` asks whether it still may. */
  readonly started: Running[]
}

const contextKey = Symbol('the context of a request in Assent')

interface Remembering {
  [contextKey]?: RequestContext
}

/**
 * Makes the context available to the handler, which only gets the SDK's own. A property and not an entry of a WeakMap: each
 * collection of garbage looks through all of those, which cost a call more than making its context.
 */
export function rememberContext(context: RequestContext): void {
  ;(context.ctx as Remembering)[contextKey] = context
}

/** The context of a request. Throws if the server was not attached. */
export function contextOf(ctx: ServerContext): RequestContext {
  const context = (ctx as Remembering)[contextKey]
  // A copy of a context has the property too, and is not what this request was handled with.
  if (context?.ctx === ctx) return context
  throw new TypeError(
    'This MCP server is not attached to Assent. Create it with server(), or pass it to attach() before you register tools.',
  )
}

/** Throws if anything that this request started may not act any more: by today's pause, policy and grants. */
export async function lookAgain({ assent, started }: Pick<RequestContext, 'assent' | 'started'>): Promise<void> {
  for (const running of started) {
    const refusal = await assent.approvals.lookAgain(running)
    if (refusal !== undefined) throw new AskRefused(refusal.status, refusal.message, refusal.reason)
  }
}
