import type { Change } from '../../approval/question/edit.ts'
import type { GivenYes } from '../../approval/question/subject.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { KeptEnvelope } from '../store.ts'
import { type MessageId, rpcKey } from '../wire/envelope.ts'

/** A request that nobody answered yet. */
export interface OpenRequest {
  readonly from: string
  /** The id of its envelope. */
  readonly id: string
  /** As it is delivered. */
  text: string
  details: RequestDetails
  /** It waits for a person's yes. */
  isHeld: boolean
  /** Somebody in the space is answering the question that this request is. */
  isAnswering?: boolean
  /** Ends the waiting for a person, not the question. */
  readonly givenUp: AbortController
}

/** What is kept of a request until it is answered. */
export interface RequestDetails {
  readonly to: string
  readonly rpc: MessageId
  readonly method: string
  readonly tool?: string
  /** The agents before the sender, outermost first, on whose behalf it was made. */
  readonly agents: readonly string[]
  /** Who is at the beginning of that chain: an agent, or the sender itself. */
  readonly root: string
  /** From when on the one who is asked has time to answer, in milliseconds since 1970. */
  readonly since: number
  /** The instance that looks after it: asks about it, passes answers on, and ends it when its time is over. */
  readonly owner?: string
  /** Names the walk of a call that the hub decides about. */
  readonly walkId?: string
  /** The question that is asked about it, or that it is. */
  readonly question?: ElicitationId
  /** What is about to run, or runs: written before its yes is spent. */
  readonly approved?: ApprovedCall
}

/** A call as a person, or policy, let it run. */
export interface ApprovedCall {
  readonly arguments: JsonObject
  readonly changes: readonly Change[]
  readonly given?: GivenYes
  readonly grant?: string
  readonly definition: string
}

/** The open requests of a space: whom an answer is for, and who acts on whose behalf. */
export interface OpenRequests {
  add(request: OpenRequest): void
  remove(request: OpenRequest): void
  /** The request of `from` to `to` with this JSON-RPC id. */
  find(from: string, to: string, rpc: MessageId): OpenRequest | undefined
  byEnvelope(from: string, id: string): OpenRequest | undefined
  /** Those that this participant has to answer. */
  waitingFor(to: string): readonly OpenRequest[]
  countOf(from: string): number
  all(): Iterable<OpenRequest>
}

export function createOpenRequests(): OpenRequests {
  const byRpc = new Map<string, OpenRequest>()
  const byId = new Map<string, OpenRequest>()
  const counts = new Map<string, number>()
  const keyOf = (from: string, to: string, rpc: MessageId) => `${from} ${to} ${rpcKey(rpc)}`
  const count = (from: string, by: number) => counts.set(from, (counts.get(from) ?? 0) + by)
  return {
    add(request) {
      const { from, id, details } = request
      byRpc.set(keyOf(from, details.to, details.rpc), request)
      byId.set(`${from} ${id}`, request)
      count(from, 1)
    },
    remove(request) {
      const { from, id, details } = request
      if (!byId.delete(`${from} ${id}`)) return
      byRpc.delete(keyOf(from, details.to, details.rpc))
      count(from, -1)
    },
    find: (from, to, rpc) => byRpc.get(keyOf(from, to, rpc)),
    byEnvelope: (from, id) => byId.get(`${from} ${id}`),
    waitingFor: (to) => [...byId.values()].filter(({ details, isHeld }) => details.to === to && !isHeld),
    countOf: (from) => counts.get(from) ?? 0,
    all: () => byId.values(),
  }
}

/** A request as it was kept, by another instance or before a restart. */
export function requestFrom(kept: KeptEnvelope): OpenRequest {
  const { from, id } = kept
  return { from, id, ...standOf(kept), givenUp: new AbortController() }
}

/** What is kept of a request and may change: how it stands now. */
export function standOf({ text, state, open }: KeptEnvelope): Pick<OpenRequest, 'text' | 'details' | 'isHeld'> {
  return { text, details: readDetails(open as unknown as RequestDetails), isHeld: state === 'held' }
}

function readDetails(details: RequestDetails): RequestDetails {
  const { approved } = details
  if (approved?.given === undefined) return details
  return { ...details, approved: { ...approved, given: { ...approved.given, at: new Date(approved.given.at) } } }
}

/** Details as they are kept. */
export function keptDetails(details: RequestDetails): JsonObject {
  return JSON.parse(JSON.stringify(details))
}
