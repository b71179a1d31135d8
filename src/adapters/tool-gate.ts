import { randomUUID } from 'node:crypto'
import { type ApprovalRefused, type Approving, approvePageName } from '../approval/approval.ts'
import type { Change } from '../approval/question/edit.ts'
import type { GivenYes } from '../approval/question/subject.ts'
import { definitionDigest, type ToolCall, type ToolDefinition } from '../approval/tool-call.ts'
import type { AssentForServers } from '../asking/needs.ts'
import { canonicalJson } from '../base/canonical.ts'
import { type Duration, milliseconds } from '../base/durations.ts'
import { BadArgument, BadConfig } from '../base/errors.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { type Entrance, type StartedCall, walk } from '../call/walk.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import { missingYes } from '../elicitation/voting/count.ts'
import { pendingUntil } from '../mcp/refusal.ts'
import { localRequester, type Requester } from '../participant/requester.ts'
import { type AgentAnswer, type AgentQuestion, askPerson } from './ask-person.ts'

export interface ToolGateOptions {
  /** The name of the agent's tools in rules (`server`) and on pages. */
  readonly server: string
  /** For whom the agent acts, from a verified identity. Default: the local person; with a login it must be given. */
  readonly requester?: Requester
  /** The groups that the requester's verified identity names. */
  readonly groups?: readonly string[]
  /** How long a call is held while a person decides. Default: 5 minutes. */
  readonly hold?: Duration
}

/** A tool that an agent wants to call. */
export interface WantedCall {
  /** Its name, or better all that its author says of it: a lasting yes ends when that changes. */
  readonly tool: string | ToolDefinition
  /** Must be JSON: a person sees all of it, and just that runs. */
  readonly arguments: unknown
}

export interface GateCallOptions {
  /** The agent has given the call up. */
  readonly signal?: AbortSignal | undefined
  /** How long this call is held. Default: the gate's `hold`. */
  readonly hold?: Duration
  /** The question of a `PendingCall`: then a no to it counts too. Without it the same call finds a yes only. */
  readonly question?: ElicitationId
}

/** A call that may run now, once. */
export interface AllowedCall {
  readonly kind: 'allow'
  /** What must run: the arguments as they were given, or as the approver edited them. */
  readonly arguments: JsonObject
  readonly changes: readonly Change[]
  /** The yes to this very call, if a person gave one. */
  readonly given?: GivenYes
  /** To be called when the call has ended, so that the audit has it. Further calls do nothing. */
  ended(outcome: 'done' | 'failed'): Promise<void>
}

/** A call that does not run. */
export interface DeniedCall {
  readonly kind: 'deny'
  readonly status: ApprovalRefused['status']
  /** For programs. */
  readonly reason: string
  /** For the model. */
  readonly message: string
}

/** A call that nobody answered yet. The same call, made again after a yes, runs without another question. */
export interface PendingCall {
  readonly kind: 'pending'
  readonly question: ElicitationId
  /** Where a person answers. */
  readonly link: string
  readonly expiresAt: Date
  /** For the model: whose yes is missing, and the link. */
  readonly message: string
}

/** Decides the tool calls of an agent, by policy, grants and people, and keeps them in the audit. */
export interface ToolGate {
  readonly server: string
  /** Decides a call, holds it while a person decides, and starts it: its yes is spent, and it must run now or never. */
  decide(wanted: WantedCall, options?: GateCallOptions): Promise<AllowedCall | DeniedCall | PendingCall>
  /** The same without starting it. For agents that ask first and run later, by `run` or `decide`. */
  ask(wanted: WantedCall, options?: GateCallOptions): Promise<AskedCall | DeniedCall | PendingCall>
  /** Decides a call and runs it. What `execute` throws is thrown again, when the audit has it. */
  run<Result>(
    wanted: WantedCall,
    execute: (given: JsonObject, allowed: AllowedCall) => Result | Promise<Result>,
    options?: GateCallOptions,
  ): Promise<RanCall<Result> | DeniedCall | PendingCall>
  /** Puts a question of an MCP server to the requester, in the inbox. Nobody answers in time: cancel. */
  elicit(question: AgentQuestion, options?: Pick<GateCallOptions, 'signal' | 'hold'>): Promise<AgentAnswer>
}

/** A call that may run: nothing was started or spent. */
export interface AskedCall {
  readonly kind: 'allow'
  readonly arguments: JsonObject
}

export interface RanCall<Result> {
  readonly kind: 'ran'
  readonly result: Result
}

/** Makes a gate for the tools of one agent that acts for one requester. */
export function createToolGate(assent: AssentForServers, options: ToolGateOptions): ToolGate {
  const { server, requester = localRequester, groups = [], hold = '5m' } = options
  if (options.requester === undefined && assent.login !== undefined) {
    throw new BadConfig('With a login, a gate needs a requester: the person for whom its agent acts.', ['requester'])
  }
  const holdMs = milliseconds(hold)
  const { approvals, clock } = assent

  /** Takes a step, waits while it has an open question, and takes it again with the answer. */
  async function held<Outcome extends { readonly kind: string }>(
    { signal, hold: mine, question: first }: GateCallOptions,
    step: (question: ElicitationId | undefined) => Promise<Outcome | Asking>,
  ): Promise<Exclude<Outcome, Asking> | PendingCall> {
    const until = clock.now().getTime() + (mine === undefined ? holdMs : milliseconds(mine))
    let question = first
    for (;;) {
      const outcome = await step(question)
      if (!isAsking(outcome)) return outcome as Exclude<Outcome, Asking>
      question = outcome.elicitation.id
      const timeoutMs = Math.max(0, until - clock.now().getTime())
      const seen = await assent.wait(question, { timeoutMs, ...(signal && { signal }) })
      // A yes is not spent on an agent that is gone: the same call, made again, finds it.
      if (seen.state.kind === 'open' || signal?.aborted) return pending(seen)
    }
  }

  function pending(asked: Elicitation): PendingCall {
    const { id, expiresAt } = asked
    const link = assent.linkTo(id, approvePageName)
    const what = `This call waits for ${missingYes(asked, requester, 'the person you act for')}.`
    const { message } = pendingUntil({ what, link, expiresAt, id }, 'waiting-for-approval')
    return { kind: 'pending', question: id, link, expiresAt, message }
  }

  function callOf({ tool, arguments: given }: WantedCall): ToolCall | DeniedCall {
    const definition = typeof tool === 'string' ? { name: tool } : tool
    try {
      // A copy: what the agent changes while a person looks at the call must not run.
      const copy: unknown = JSON.parse(canonicalJson(given ?? {}))
      if (!isPlainObject(copy)) return unfit('The arguments of a tool are an object.')
      const { inputSchema, annotations, title } = definition
      return {
        requester,
        groups,
        server,
        tool: definition.name,
        arguments: copy as JsonObject,
        definition: definitionDigest(definition),
        trusted: false,
        ...(isPlainObject(annotations) && { annotations: annotations as JsonObject }),
        ...(isPlainObject(inputSchema) && { inputSchema: inputSchema as JsonObject }),
        ...(title !== undefined && { title }),
      }
    } catch (error) {
      if (error instanceof BadArgument) return unfit(error.message)
      throw error
    }
  }

  const walked = (approving: Approving) => walk<StartedCall, undefined, never>(entrance, approving)
  // The agent's framework runs the tool, right after; `ended` records its end.
  const entrance: Entrance<StartedCall, undefined, never> = {
    approvals,
    send: async (started) => ({ result: started, outcome: 'in-progress' }),
    finish: 'now',
  }

  const gate: ToolGate = {
    server,
    async decide(wanted, callOptions = {}) {
      const call = callOf(wanted)
      if ('kind' in call) return call
      const walkId = randomUUID()
      const outcome = await held(callOptions, (question) => walked({ call, walkId, ...(question && { question }) }))
      if (outcome.kind === 'refused') return denied(outcome)
      return outcome.kind === 'pending' ? outcome : allowed(outcome.result)
    },
    async ask(wanted, callOptions = {}) {
      const call = callOf(wanted)
      if ('kind' in call) return call
      const walkId = randomUUID()
      const outcome = await held(callOptions, (question) =>
        approvals.approve({ call, walkId, ...(question && { question }) }),
      )
      if (outcome.kind === 'refused') return denied(outcome)
      return outcome.kind === 'pending' ? outcome : { kind: 'allow', arguments: outcome.call.arguments }
    },
    async run(wanted, execute, callOptions) {
      const decision = await gate.decide(wanted, callOptions)
      if (decision.kind !== 'allow') return decision
      try {
        const result = await execute(decision.arguments, decision)
        await decision.ended('done')
        return { kind: 'ran', result }
      } catch (error) {
        await decision.ended('failed')
        throw error
      }
    },
    elicit: (question, { signal, hold: mine } = {}) =>
      askPerson(assent, question, {
        server,
        requester,
        holdMs: mine === undefined ? holdMs : milliseconds(mine),
        ...(signal && { signal }),
      }),
  }

  function allowed(started: StartedCall): AllowedCall {
    const { call, changes, given } = started
    let hasEnded = false
    return {
      kind: 'allow',
      arguments: call.arguments,
      changes,
      ...(given && { given }),
      async ended(outcome) {
        if (hasEnded) return
        hasEnded = true
        await approvals.finish({ ...started, outcome })
      },
    }
  }

  return gate
}

/**
 * Starts a call that somebody else runs, who has its arguments already: a yes with edited arguments is then none. Nothing
 * tells how it ends.
 */
export async function startAsGiven(
  gate: ToolGate,
  wanted: WantedCall,
  options?: GateCallOptions,
): Promise<AllowedCall | DeniedCall | PendingCall> {
  const decision = await gate.decide(wanted, options)
  if (decision.kind !== 'allow' || decision.changes.length === 0) return decision
  await decision.ended('failed')
  const message = 'The approver changed the arguments, and they cannot be changed where this tool runs. Nothing ran.'
  return { kind: 'deny', status: 'failed', reason: 'edits-refused', message }
}

interface Asking {
  readonly kind: 'question'
  readonly elicitation: Elicitation
}

function isAsking(outcome: { readonly kind: string }): outcome is Asking {
  return outcome.kind === 'question'
}

function denied({ status, reason, message }: ApprovalRefused): DeniedCall {
  return { kind: 'deny', status, reason, message }
}

const unfit = (message: string) => denied({ kind: 'refused', status: 'failed', reason: 'arguments', message })
