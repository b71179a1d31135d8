import { AssentError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { answerLink } from '../../elicitation/answering/answer-link.ts'
import { isAsked } from '../../elicitation/answering/may-answer.ts'
import type { Answer, Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { codes } from '../../mcp/codes.ts'
import { outcomeKey } from '../../mcp/meta-keys.ts'
import { agentIdentity, isSpaceIdentity, type Member } from '../options.ts'
import type { OpenRequest } from '../routing/open-requests.ts'
import type { Posting, SpaceDesk } from '../space/desk.ts'
import { type Envelope, hubName, type MessageId } from '../wire/envelope.ts'
import { writeEnvelope } from '../wire/write.ts'
import { answerIn, approvalAnswer, approvalParams, type OriginalRequest } from './space-form.ts'

/** Questions in a space: those of the hub, and those of agents, which also wait in the inbox of whoever is asked. */
export interface SpaceQuestions {
  /** Asks the people in the space who may answer, until the returned function is called. */
  askAbout(elicitation: Elicitation, original: OriginalRequest, request: OpenRequest): () => void
  /** Asks somebody who just joined what is open for them. */
  welcome(member: Member): void
  /** Takes the answer to a question of the hub, or tells why it does not count. */
  answeredToHub(member: Member, envelope: Envelope): Promise<void>
  /** Keeps the question of an agent, so that it can be answered elsewhere too. */
  keep(request: OpenRequest, to: Member, params: Readonly<Record<string, unknown>>): Promise<KeptQuestion>
  /** Waits for the answer to the question of an agent, wherever it is given, and passes it on. */
  follow(request: OpenRequest, question: ElicitationId): void
  /** Judges an answer to the question of an agent that came through the space. True: it counts, and is passed on. */
  answeredToAgent(member: Member, request: OpenRequest, envelope: Envelope): Promise<boolean>
  /** An answer that counts could not be passed on as it came: it is passed on as soon as that is possible. */
  passOnLater(request: OpenRequest, question: ElicitationId): void
  /** An answer of the hub to a request. */
  answerFor(
    request: OpenRequest,
    body: { readonly result: JsonObject } | { readonly error: JsonObject },
    from?: string,
  ): Posting
}

/** How keeping the question of an agent ended. */
export type KeptQuestion =
  | { readonly kind: 'kept'; readonly question: ElicitationId }
  /** It cannot be asked, and why. */
  | { readonly kind: 'problem'; readonly message: string }
  /** Not now. */
  | { readonly kind: 'failed'; readonly error: unknown }

interface HubQuestion {
  /** As it stands now. */
  elicitation: Elicitation
  readonly original: OriginalRequest
  readonly request: OpenRequest
  /** Under which JSON-RPC id each participant is asked. */
  readonly asked: Map<string, string>
}

export function createSpaceQuestions(desk: SpaceDesk): SpaceQuestions {
  const { assent, members } = desk
  const asking = new Map<string, HubQuestion>()

  function put(member: string, { elicitation, original, request }: HubQuestion, rpc: string): void {
    const link = answerLink(assent.linkTo, elicitation)
    const params = approvalParams(elicitation, original, { now: assent.clock.now(), link })
    desk.tell(member, {
      // The same name each time, so that a client that lost its connection does not ask its person twice.
      id: `ask-${rpc}`,
      kind: 'mcp',
      correlationId: request.id,
      payload: { jsonrpc: '2.0', id: rpc, method: 'elicitation/create', params },
    })
  }

  /** Asks those who may answer the question as it stands now, and calls it off where it was handed on or has changed. */
  function askAll(question: HubQuestion): void {
    const { elicitation, asked } = question
    for (const member of members.values()) {
      const rpc = isWaitedFor(elicitation, member) ? askedId(elicitation) : undefined
      const before = asked.get(member.id)
      if (rpc === before) continue
      if (before !== undefined) callOff(member.id, before)
      asked.delete(member.id)
      if (rpc === undefined) continue
      asked.set(member.id, rpc)
      put(member.id, question, rpc)
    }
  }

  /** Looks at a question that somebody handed on, voted on or changed, in the space or elsewhere. */
  async function lookAgain(question: HubQuestion): Promise<void> {
    const { id } = question.elicitation
    const now = await assent.get(id)
    if (now?.state.kind !== 'open' || asking.get(id) !== question) return
    question.elicitation = now
    askAll(question)
  }

  function callOff(member: string, requestId: MessageId): void {
    const params = { requestId, reason: 'This was answered, or needs no answer any more.' }
    desk.tell(member, { kind: 'mcp', payload: { jsonrpc: '2.0', method: 'notifications/cancelled', params } })
  }

  async function answer(member: Member, { id, seen }: AskedId, given: Answer, correlationId: string): Promise<boolean> {
    try {
      const answering = { ...personOf(member), via: 'hub' as const, ...(seen !== undefined && { seen }) }
      const answered = await assent.answer(id, answering, given)
      if (answered.kind === 'kept') return true
      if (answered.kind === 'counted' || answered.kind === 'delegated') {
        const payload = { event: answered.kind, message: takenWords[answered.kind] }
        desk.tell(member.id, { kind: 'system', correlationId, payload })
        return true
      }
      const errors =
        answered.kind === 'invalid' ? answered.errors.map(({ field, message }) => ({ field, message })) : []
      const words =
        answered.kind === 'late'
          ? 'This question was settled before.'
          : 'The question is still open: this answer does not fit it.'
      desk.refuse(member.id, { code: 'answer-refused', message: words, correlationId, data: { errors } })
      return false
    } catch (error) {
      const message = error instanceof AssentError ? error.message : 'Your answer could not be kept. Try again.'
      desk.refuse(member.id, { code: 'answer-refused', message, correlationId })
      return false
    }
  }

  function answerFor(
    request: OpenRequest,
    body: { result: JsonObject } | { error: JsonObject },
    from = hubName,
  ): Posting {
    return writeEnvelope(assent.clock.now(), {
      // The same name each time: told again after a restart, it is one answer.
      id: `answer-${request.from}-${request.id}`.slice(0, 200),
      from,
      to: [request.from],
      kind: 'mcp',
      correlationId: request.id,
      payload: { jsonrpc: '2.0', id: request.details.rpc, ...body },
    })
  }

  async function passOn(request: OpenRequest, question: ElicitationId): Promise<void> {
    const settled = await assent.wait(question, { signal: request.givenUp.signal })
    const isOpen = desk.requests.byEnvelope(request.from, request.id) === request
    if (!isOpen || settled.state.kind === 'open' || request.isAnswering) return
    const { to, rpc } = request.details
    callOff(to, rpc)
    const end = await desk.post({ ...answerFor(request, { result: resultOf(settled, to) }, to), answers: request })
    if (end.kind === 'failed') throw end.error
  }

  function passOnLater(request: OpenRequest, question: ElicitationId): void {
    request.isAnswering = false
    desk.surely(() => passOn(request, question))
  }

  const identityOf = (id: string) => (members.get(id) as Member).identity

  /** People of the space are named by their ids there. An agent has no name by which it could be asked. */
  const nameOf = (id: string) => {
    const member = members.get(id)
    if (member !== undefined) return member.kind === 'human' ? member.identity : ''
    const isOther = isSpaceIdentity(id) && ![...members.values()].some((one) => isPerson(one) && one.identity === id)
    return isOther ? '' : id
  }

  return {
    askAbout(elicitation, original, request) {
      const question = { elicitation, original, request, asked: new Map<string, string>() }
      asking.set(elicitation.id, question)
      const unwatch = assent.store.changes.watch(elicitation.id, () => desk.surely(() => lookAgain(question)))
      askAll(question)
      return () => {
        unwatch()
        asking.delete(elicitation.id)
        for (const [member, rpc] of question.asked) callOff(member, rpc)
      }
    },
    welcome({ id }) {
      for (const question of asking.values()) {
        const rpc = question.asked.get(id)
        if (rpc !== undefined) put(id, question, rpc)
      }
    },
    async answeredToHub(member, { id, payload }) {
      const question = readAskedId(payload.id)
      // Not only what is being asked now: after a restart an answer may come before its question is asked again.
      const elicitation = asking.get(question.id)?.elicitation ?? (await assent.get(question.id))
      if (elicitation?.state.kind !== 'open') {
        const message = 'The hub asked you nothing of this id, or it is settled.'
        desk.refuse(member.id, { code: 'not-pending', message, correlationId: id })
        return
      }
      // Whoever a rule may name: an agent that a rule names was not asked, and is not heard.
      if (!isPerson(member) && isAsked(elicitation, personOf(member))) {
        const message = 'Only people answer what the hub asks.'
        const data = { reason: 'not-a-person', via: 'hub' }
        await assent.record({ kind: 'answer-refused', who: member.identity, about: question.id, data })
        desk.refuse(member.id, { code: 'answer-refused', message, correlationId: id })
        return
      }
      const given = answerIn(payload.result)
      // A client that does not know the method says nothing about its person, and to open a page is no answer.
      const isNone = given === undefined || (given.action === 'accept' && given.content === undefined)
      if (isNone || (await answer(member, question, approvalAnswer(elicitation, given, nameOf), id))) {
        desk.acknowledge(member.id, id)
      }
    },
    async keep({ from, id }, to, { message, requestedSchema, metadata }) {
      const timeout = isPlainObject(metadata) && typeof metadata.timeout === 'number' ? metadata.timeout : 0
      const client = agentIdentity(desk.name, from)
      const isAgent = members.get(from)?.kind !== 'human'
      const requester = {
        participant: identityOf(from),
        client,
        clientName: from,
        ...(isAgent && { agents: [client] }),
      }
      try {
        const { elicitation } = await assent.ask({
          question: { mode: 'form', message: String(message ?? ''), schema: requestedSchema },
          origin: { server: `${desk.name}/${from}` },
          requester,
          anyOf: [to.identity],
          about: JSON.stringify([desk.name, from, id]),
          ...(timeout > 0 && { expiresInMs: timeout * 1_000 }),
        })
        return { kind: 'kept', question: elicitation.id }
      } catch (error) {
        if (error instanceof AssentError && error.code !== 'store_unavailable') {
          return { kind: 'problem', message: error.message }
        }
        return { kind: 'failed', error }
      }
    },
    follow: (request, question) => desk.surely(() => passOn(request, question)),
    async answeredToAgent(member, request, { id, payload }) {
      const question = request.details.question as ElicitationId
      const given = answerIn(payload.result)
      if (given === undefined) return true
      request.isAnswering = true
      if (await answer(member, { id: question }, given, id)) return true
      passOnLater(request, question)
      return false
    },
    passOnLater,
    answerFor,
  }
}

/** The id of a question in a space: with the digest of what approvers made of the call, where they changed it. */
interface AskedId {
  readonly id: ElicitationId
  readonly seen?: string
}

const betweenIds = '~'

function askedId({ id, voting }: Elicitation): string {
  return voting?.edit === undefined ? id : `${id}${betweenIds}${voting.edit.digest}`
}

function readAskedId(rpc: unknown): AskedId {
  const [id = '', seen] = String(rpc).split(betweenIds, 2)
  return { id: id as ElicitationId, ...(seen !== undefined && { seen }) }
}

const takenWords = {
  counted: 'Your vote counts. The question waits for others too.',
  delegated: 'You handed the question on.',
} as const

const isPerson = ({ kind }: Pick<Member, 'kind'>) => kind === 'human'

/** Whether the question waits for the word of this participant. */
function isWaitedFor(elicitation: Elicitation, member: Member): boolean {
  if (!isPerson(member) || !isAsked(elicitation, personOf(member))) return false
  return !elicitation.voting?.votes.some(({ by }) => by === member.identity)
}

/** Who a participant is, as the one who answers. */
function personOf({ identity, groups }: Pick<Member, 'identity' | 'groups'>) {
  return { participant: identity, groups }
}

/** The result that a question which was settled outside of the space brings. */
function resultOf(settled: Elicitation, by: string): JsonObject {
  const { state } = settled
  if (state.kind !== 'answered') {
    return { action: 'cancel', _meta: { [outcomeKey]: { status: statusOf(settled), reason: state.kind } } }
  }
  const { action } = state.answer
  const content = 'content' in state.answer ? state.answer.content : undefined
  return {
    action,
    ...(content !== undefined && { content: content as JsonObject }),
    _meta: { 'assent/answer': { by, via: state.by.via, at: state.at.toISOString() } },
  }
}

/** The error for an agent whose question cannot be asked. */
export function cannotAsk(message: string): { readonly error: JsonObject } {
  return { error: { code: codes.invalidParams, message } }
}
