import { randomUUID } from 'node:crypto'
import { isPlainObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import type { AgentTools } from '../approval/agent-tools.ts'
import { chainOf } from '../approval/chain.ts'
import type { HeldCalls } from '../approval/hold.ts'
import { cannotAsk, type SpaceQuestions } from '../approval/questions.ts'
import type { Member } from '../options.ts'
import type { SpaceDesk } from '../space/desk.ts'
import { editedText } from '../wire/edit-text.ts'
import { type Envelope, exactPayload, hubName, type RpcMessage, readRpc } from '../wire/envelope.ts'
import type { HubProblem, ProblemCode } from '../wire/write.ts'
import type { Capabilities } from './capabilities.ts'
import type { OpenRequest } from './open-requests.ts'

/** What decides about an envelope. */
export interface Router {
  readonly desk: SpaceDesk
  readonly tools: AgentTools
  readonly questions: SpaceQuestions
  readonly held: HeldCalls
}

/** An envelope whose sender is known. */
export interface Received {
  readonly sender: Member
  readonly capabilities: Capabilities
  readonly envelope: Envelope
  /** The message as bytes. */
  readonly data: Buffer
}

type Request = Extract<RpcMessage, { kind: 'request' }>

/** Routes an envelope: refused with words, kept and delivered, or held for a person. */
export function route(router: Router, received: Received): HubProblem | undefined {
  const { desk } = router
  const { envelope, sender } = received
  const strange = envelope.to.find((id) => !desk.members.has(id) && id !== hubName)
  if (strange !== undefined)
    return problem(envelope, 'unknown-recipient', `Nobody in this space is called "${strange}".`)
  if (envelope.kind !== 'mcp') return routeOther(router, received)
  const rpc = readRpc(envelope.payload)
  if (rpc === undefined)
    return problem(envelope, 'bad-request', 'The payload of an mcp envelope is a JSON-RPC 2.0 message.')
  if (rpc.kind === 'response') return routeResponse(router, received, rpc)
  if (!isAllowed(received, rpc)) return problem(envelope, 'not-allowed', `You may not send ${rpc.method} here.`)
  if (rpc.kind === 'request') return routeRequest(router, received, rpc)
  if (rpc.method === 'notifications/cancelled') giveUp(desk, sender.id, envelope)
  if (rpc.method === 'notifications/tools/list_changed') router.tools.forget(sender.id)
  pass(router, received)
  return undefined
}

/** Kinds that the hub does not know are passed on as they are, to those who may get them. */
function routeOther(router: Router, received: Received): HubProblem | undefined {
  const { envelope, capabilities } = received
  const sending = { method: envelope.kind, to: envelope.to }
  if (!capabilities.allows(sending)) return problem(envelope, 'not-allowed', `You may not send ${envelope.kind} here.`)
  pass(router, received)
  return undefined
}

function isAllowed({ capabilities, envelope }: Received, rpc: Exclude<RpcMessage, { kind: 'response' }>): boolean {
  const tool = rpc.kind === 'request' && typeof rpc.params.name === 'string' ? rpc.params.name : undefined
  return capabilities.allows({ method: rpc.method, to: envelope.to, ...(tool !== undefined && { tool }) })
}

function pass({ desk }: Router, { envelope, data }: Received, more: { answers?: OpenRequest } = {}) {
  const { id, from, to, text } = envelope
  inBackground(desk.post({ id, from, to, text, data, ...more }))
}

function routeRequest(router: Router, received: Received, rpc: Request): HubProblem | undefined {
  const { desk } = router
  const { envelope, sender } = received
  const [to] = envelope.to
  if (to === undefined || envelope.to.length > 1) {
    return problem(envelope, 'bad-request', 'A request is for exactly one participant: name it in `to`.')
  }
  const target = desk.members.get(to)
  if (target === undefined || to === sender.id)
    return problem(envelope, 'bad-request', `A request to ${to} has no answer.`)
  if (desk.requests.byEnvelope(sender.id, envelope.id) === undefined) {
    if (desk.requests.find(sender.id, to, rpc.id) !== undefined) {
      return problem(envelope, 'id-used', `You have an open request to ${to} with this JSON-RPC id.`)
    }
    if (desk.requests.countOf(sender.id) >= desk.limits.openRequests) {
      return problem(envelope, 'too-many', `You may have ${desk.limits.openRequests} requests without an answer.`)
    }
  }
  const chain = rpc.method === 'tools/call' ? chainOf(desk, sender.id, to, envelope) : { agents: [], root: sender.id }
  if ('code' in chain) return chain
  const tool = rpc.method === 'tools/call' ? String(rpc.params.name ?? '') : undefined
  const isHeld = rpc.method === 'tools/call' && target.asks === 'hub'
  const request: OpenRequest = {
    from: sender.id,
    id: envelope.id,
    text:
      chain.agents.length === 0
        ? envelope.text
        : editedText(envelope.text, { chain: { ...chain, agents: [...chain.agents] } }),
    details: {
      to,
      rpc: rpc.id,
      method: rpc.method,
      ...(tool !== undefined && { tool }),
      ...chain,
      since: desk.assent.clock.now().getTime(),
      ...(desk.instance !== undefined && { owner: desk.instance }),
      ...(isHeld && { walkId: randomUUID() }),
    },
    isHeld,
    givenUp: new AbortController(),
  }
  const kept = { request, original: envelope.text }
  if (isHeld) inBackground(hold(router, kept))
  else if (rpc.method === 'elicitation/create' && target.kind === 'human' && rpc.params.mode !== 'url') {
    inBackground(askHuman(router, kept, target, rpc))
  } else inBackground(send(desk, kept))
  return undefined
}

interface SentMessage {
  readonly request: OpenRequest
  /** The envelope as its sender wrote it. */
  readonly original: string
}

/** Keeps a request and delivers it; whoever is away gets it when they come back, and its sender is told. */
async function send(desk: SpaceDesk, { request, original }: SentMessage): Promise<boolean> {
  const { from, id, text, details } = request
  const { kind } = await desk.post({ from, id, to: [details.to], text, original, opens: request })
  if (kind === 'added' && !desk.isHere(details.to)) {
    const message = `${details.to} is not here; it gets this when it comes back.`
    const payload = { event: 'absent', participant: details.to, message }
    desk.tell(from, { kind: 'system', correlationId: id, payload })
  }
  return kind === 'added'
}

async function hold({ desk, held }: Router, { request, original }: SentMessage): Promise<void> {
  const { from, id, text, details } = request
  const { kind } = await desk.post({ from, id, to: [details.to], text, original, state: 'held', opens: request })
  if (kind === 'added') held.start(request)
}

async function askHuman(
  { desk, questions }: Router,
  sending: SentMessage,
  target: Member,
  rpc: Request,
): Promise<void> {
  const { request } = sending
  const kept = await questions.keep(request, target, rpc.params)
  if (kept.kind === 'problem') {
    await desk.post(questions.answerFor(request, cannotAsk(kept.message)))
    return
  }
  if (kept.kind === 'failed') {
    desk.failed(request.from, request.id, kept.error)
    return
  }
  request.details = { ...request.details, question: kept.question }
  if (await send(desk, sending)) questions.follow(request, kept.question)
}

function routeResponse(
  router: Router,
  received: Received,
  rpc: Extract<RpcMessage, { kind: 'response' }>,
): HubProblem | undefined {
  const { desk, questions, tools } = router
  const { envelope, sender } = received
  const [to] = envelope.to
  if (to === undefined || envelope.to.length > 1)
    return problem(envelope, 'bad-request', 'An answer is for the one who asked.')
  if (to === hubName) {
    if (tools.answered(sender.id, rpc.id, envelope.payload)) desk.acknowledge(sender.id, envelope.id)
    else desk.surely(() => questions.answeredToHub(sender, envelope))
    return undefined
  }
  const request = desk.requests.find(to, sender.id, rpc.id)
  if (request === undefined || request.isHeld) {
    return problem(envelope, 'not-pending', `${to} asked you nothing of this id, or it was answered before.`)
  }
  if (envelope.correlationId !== undefined && envelope.correlationId !== request.id) {
    return problem(envelope, 'bad-request', 'The correlation_id is not the id of the request that this answers.')
  }
  inBackground(answer(router, received, request))
  return undefined
}

async function answer(router: Router, received: Received, request: OpenRequest): Promise<void> {
  const { desk, questions, held } = router
  const { envelope, sender } = received
  const { walkId, question } = request.details
  if (walkId === undefined) {
    if (question === undefined) pass(router, received, { answers: request })
    else if (await questions.answeredToAgent(sender, request, envelope)) {
      const { id, from, to, text } = envelope
      const { kind } = await desk.post({ id, from, to, text, data: received.data, answers: request })
      if (kind === 'failed') questions.passOnLater(request, question)
    }
    return
  }
  // Of two answers that come at once only the first is taken.
  desk.requests.remove(request)
  const { id, from, to } = envelope
  try {
    const payload = await held.answered(request, exactPayload(envelope.text))
    const text = payload === undefined ? envelope.text : editedText(envelope.text, { payload })
    const { kind } = await desk.post({ id, from, to, text, original: envelope.text, answers: request })
    if (kind === 'failed') desk.requests.add(request)
  } catch (error) {
    desk.requests.add(request)
    desk.failed(from, id, error)
  }
}

/** A sender that gives up no longer waits for a person; the question itself stays. */
export function giveUp(desk: SpaceDesk, from: string, { payload, to }: Envelope): void {
  const { params } = payload
  const id = isPlainObject(params) ? params.requestId : undefined
  for (const request of desk.requests.all()) {
    if (request.from !== from || request.details.rpc !== id) continue
    // Requests to others may have the same id.
    if (to.length > 0 && !to.includes(request.details.to)) continue
    request.givenUp.abort()
    if (request.isHeld) inBackground(desk.stop(request))
  }
}

function problem({ id }: Envelope, code: ProblemCode, message: string): HubProblem {
  return { code, message, correlationId: id }
}
