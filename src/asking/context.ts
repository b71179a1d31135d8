import type { ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../base/json.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import type { Revision } from '../elicitation/form/revision.ts'
import type { Modes } from '../mcp/modes.ts'
import type { Quirk } from '../mcp/quirks.ts'
import type { CallIdentity } from '../mcp/request-state.ts'
import type { Person } from '../participant/identify.ts'
import type { AssentForServers } from './needs.ts'
import type { RegisteredTool } from './registered-tools.ts'
import type { WalkState } from './rounds/walk-state.ts'

/** How long things take, in milliseconds. */
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

/** Settings of one server that asks. */
export interface AskingSettings {
  readonly assent: AssentForServers
  /** How people know the server. */
  readonly name: string
  readonly clocks: ServerClocks
  /** How a client of 2025-11-25 is sent to a page: asked in the call, or told by the error -32042 to come back. */
  readonly urlBy: 'push' | 'error'
  /** Clients of 2025 that have no session here are taken to know url mode, and sent to pages by the error -32042. */
  readonly assumeUrl: boolean
  /** Modes that some clients declare without meaning it. */
  readonly quirks: readonly Quirk[]
}

/** One request that may ask: who sent it, how its client can be asked, and where its walk stands. */
export interface RequestContext extends AskingSettings {
  readonly ctx: ServerContext
  readonly call: CallIdentity
  readonly person: Person
  /** Undefined: a client from before anyone could be asked. */
  readonly revision: Revision | undefined
  /** All that the client declared. */
  readonly capabilities: JsonObject
  readonly modes: Modes
  /** Whether the server can send this client a question of its own while the request is under way. */
  readonly canPush: boolean
  /** The tools of the server that the request came to. */
  readonly tools: ReadonlyMap<string, RegisteredTool>
  /** The tool has an output schema, which a refusal does not fit. */
  readonly hasOutputSchema: boolean
  /** What the client says to the questions of the last round. */
  readonly responses: ReadonlyMap<string, unknown>
  /** A state of ours came with the request. */
  readonly isRetry: boolean
  /** Resolves when a 2025 client may be asked. */
  readonly ready: Promise<void>
  /** Tells the client that asked that the person is done elsewhere (E11-20). */
  complete(id: ElicitationId): Promise<void>
  /** The same when they are done, in whatever process, also after this request is answered. */
  completeLater(id: ElicitationId): void
  /** Modes that were needed and that a 2026 client did not declare: the request ends by naming them (B26-10). */
  readonly lacks: Set<'form' | 'url'>
  /** Where the walk stands; it moves on while the handler runs. */
  readonly walk: WalkState
}

const visits = new WeakMap<ServerContext, RequestContext>()

/** Remembers the visit that this context belongs to, for the handler that gets the context. */
export function rememberContext(context: RequestContext): void {
  visits.set(context.ctx, context)
}

/** The visit of a request; throws for a server that was not told of Assent. */
export function contextOf(ctx: ServerContext): RequestContext {
  const context = visits.get(ctx)
  if (context !== undefined) return context
  throw new TypeError(
    'This server does not know Assent. Make it with server(), or give it to attach() before adding tools.',
  )
}
