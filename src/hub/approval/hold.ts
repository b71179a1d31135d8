import type { ApprovalRefused } from '../../approval/approval.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { withApproval } from '../../asking/approval/approve-call.ts'
import { argumentProblem } from '../../base/canonical.ts'
import { AssentError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { type Entrance, walk } from '../../call/walk.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { AskRefused, refusalResult } from '../../mcp/refusal.ts'
import type { Requester } from '../../participant/requester.ts'
import { agentIdentity, isSpaceIdentity } from '../options.ts'
import type { ApprovedCall, OpenRequest, RequestDetails } from '../routing/open-requests.ts'
import type { SpaceDesk } from '../space/desk.ts'
import { editedText } from '../wire/edit-text.ts'
import { exactPayload } from '../wire/envelope.ts'
import { type AgentTools, ToolsUnknown } from './agent-tools.ts'
import { personBehind } from './chain.ts'
import type { SpaceQuestions } from './questions.ts'

/** Decides about calls on their way to agents that do not ask by themselves. */
export interface HeldCalls {
  /** Walks a held call to its end: delivered, or answered with a refusal. Entered again after a restart, it continues. */
  start(request: OpenRequest): void
  /** The answer to a call that was let run, with who approved it, and its end on record. */
  answered(request: OpenRequest, payload: JsonObject): Promise<JsonObject | undefined>
}

export interface HoldParts {
  readonly desk: SpaceDesk
  readonly tools: AgentTools
  readonly questions: SpaceQuestions
}

/** The name of an agent as the server of its tools, in rules and on pages. */
function serverName(space: string, agent: string): string {
  return `${space}/${agent}`
}

/** Who wants a call: the person at the beginning of the chain, through the agents in between and the one that sent it. */
function requesterOf(
  desk: Pick<SpaceDesk, 'name' | 'members'>,
  from: string,
  chain: Pick<RequestDetails, 'agents' | 'root'>,
): Requester {
  const person = personBehind(desk.members, chain.root)
  const agents = [...chain.agents, from].filter((id) => desk.members.get(id)?.kind !== 'human')
  return {
    participant: person?.identity ?? agentIdentity(desk.name, chain.root),
    client: agentIdentity(desk.name, from),
    clientName: from,
    ...(agents.length > 0 && { agents: agents.map((id) => agentIdentity(desk.name, id)) }),
  }
}

export function createHeldCalls({ desk, tools, questions }: HoldParts): HeldCalls {
  const { assent } = desk

  async function callOf(request: OpenRequest): Promise<ToolCall | ApprovalRefused> {
    const { from, details } = request
    const tool = details.tool as string
    try {
      const facts = await tools.factsOf(details.to, tool)
      if (facts === undefined) return failed('unknown-tool', `${details.to} has no tool ${tool}.`)
      const requester = requesterOf(desk, from, details)
      const person = [...desk.members.values()].find(({ identity }) => identity === requester.participant)
      const { params } = exactPayload(request.text)
      const given = isPlainObject(params) && isPlainObject(params.arguments) ? (params.arguments as JsonObject) : {}
      const problem = argumentProblem(given, 'arguments')
      if (problem !== undefined) return failed('bad-arguments', problem)
      const server = serverName(desk.name, details.to)
      return { requester, groups: person?.groups ?? [], server, tool, arguments: given, trusted: false, ...facts }
    } catch (error) {
      if (error instanceof ToolsUnknown) return failed('tools-unknown', error.message)
      throw error
    }
  }

  function entranceFor(request: OpenRequest): Entrance<undefined, undefined, never> {
    return {
      approvals: assent.approvals,
      access: async () => ({ kind: 'ready', credential: undefined }),
      async beforeStart({ call, changes, given, grant }) {
        const approved: ApprovedCall = {
          arguments: call.arguments,
          changes,
          ...(given && { given }),
          ...(grant && { grant: grant.id }),
          definition: call.definition,
        }
        // Before the yes is spent: whoever finds it spent after a crash can still deliver what it was spent for.
        const isOpen = await desk.keepDetails(request, { ...request.details, approved })
        if (!isOpen) throw new RequestOver()
      },
      async send() {
        await deliver(request)
        return { result: undefined, outcome: 'in-progress' }
      },
      finish: 'now',
    }
  }

  function deliver(request: OpenRequest): Promise<void> {
    const { details } = request
    const approved = details.approved as ApprovedCall
    const isChanged = approved.changes.length > 0
    // Written anew in any case: of a key that its sender wrote twice, only what was shown is delivered.
    const text = editedText(request.text, isChanged ? { arguments: approved.arguments } : {})
    return desk.release(request, text, { ...details, since: assent.clock.now().getTime() })
  }

  async function refuse(request: OpenRequest, { status, reason, message }: ApprovalRefused): Promise<void> {
    const result = refusalResult(new AskRefused(status, message, reason))
    const answer = questions.answerFor(request, { result: result as unknown as JsonObject })
    const end = await desk.post({ ...answer, answers: request, stops: true })
    if (end.kind === 'failed') throw end.error
  }

  /** Whether the question is settled now. */
  async function holdFor(request: OpenRequest, elicitation: Elicitation, call: ToolCall): Promise<boolean> {
    const { from, id, details } = request
    if (details.question !== elicitation.id) {
      await desk.keepDetails(request, { ...details, question: elicitation.id })
    }
    const link = assent.linkTo(elicitation.id, 'approve')
    desk.tell(from, {
      kind: 'system',
      correlationId: id,
      payload: {
        event: 'pending',
        status: 'pending',
        requestId: details.rpc,
        question: elicitation.id,
        message: `A person must approve ${call.tool} first.`,
        link,
        expiresAt: elicitation.expiresAt.toISOString(),
      },
    })
    const original = { from, tool: call.tool, arguments: call.arguments, requestId: details.rpc }
    const stopAsking = questions.askAbout(elicitation, original, request)
    try {
      return isSettled(await assent.wait(elicitation.id, { signal: request.givenUp.signal }))
    } finally {
      stopAsking()
    }
  }

  async function run(request: OpenRequest): Promise<void> {
    const call = await callOf(request)
    if ('kind' in call) return refuse(request, call)
    const walkId = request.details.walkId as string
    while (!request.givenUp.signal.aborted) {
      const { question } = request.details
      const outcome = await walk<undefined, undefined, never>(entranceFor(request), {
        call,
        walkId,
        ...(question !== undefined && { question }),
        mayAsk: ({ approvers }) => approvers.some((approver) => !isSpaceIdentity(approver)),
      })
      if (outcome.kind === 'done') return
      if (outcome.kind === 'question') {
        // Open still: the hub stops, and whoever looks after the request next asks on.
        if (!(await holdFor(request, outcome.elicitation, call))) return
        continue
      }
      if (outcome.status !== 'already-run') return refuse(request, outcome)
      // The hub broke off after the yes was spent and before the call was delivered: held means not delivered.
      await desk.reload(request)
      if (request.details.approved === undefined) return refuse(request, outcome)
      return deliver(request)
    }
  }

  return {
    start: (request) =>
      desk.surely(async () => {
        try {
          await run(request)
        } catch (error) {
          if (error instanceof RequestOver) return
          // Tried again only where that can help: nobody must wait for what fails each time.
          if (!(error instanceof AssentError) || error.code === 'store_unavailable') throw error
          await refuse(request, failed(error.code, error.message))
        }
      }),
    async answered({ from, details }, payload) {
      const { approved, walkId } = details
      if (approved === undefined || walkId === undefined) return undefined
      const requester = requesterOf(desk, from, details)
      const server = serverName(desk.name, details.to)
      const { arguments: given, definition } = approved
      const call = { requester, server, tool: details.tool as string, arguments: given, trusted: false, definition }
      const grant = approved.grant === undefined ? undefined : await assent.store.grants.get(approved.grant as never)
      const { result } = payload
      const isDone = isPlainObject(result) && result.isError !== true
      await assent.approvals.finish({ walkId, call, outcome: isDone ? 'done' : 'failed', ...(grant && { grant }) })
      if (!isPlainObject(result)) return undefined
      const told = withApproval(result as never, approved)
      return told === (result as unknown) ? undefined : { ...payload, result: told as unknown as JsonObject }
    },
  }
}

/** A request was stopped, or answered elsewhere, before it ran. */
class RequestOver extends Error {}

function failed(reason: string, message: string): ApprovalRefused {
  return { kind: 'refused', status: 'failed', reason, message }
}
