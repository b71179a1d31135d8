import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { hubName, onBehalfKey } from '../hub/wire/envelope.ts'
import type { Incoming, SpaceConnection } from './connection.ts'

/** Says that a person must answer first, or that the one who is asked is away and gets it when they come back. */
export interface Pending {
  /** The id of the envelope that waits. */
  readonly correlationId: string
  readonly message: string
  /** The page where it can be answered, if it has one. */
  readonly link?: string
  readonly expiresAt?: string
}

export interface RequestOptions {
  /** Aborting it gives up waiting; a question that was asked stays open. */
  readonly signal?: AbortSignal
  /** Called when the answer has to wait: for a person, or for one who is away. */
  readonly onPending?: (pending: Pending) => void
}

/** A participant, or the hub, answered with an error. */
export class RequestFailed extends Error {
  readonly code: number | string
  readonly data: unknown
  constructor(code: number | string, message: string, data?: unknown) {
    super(message)
    this.name = 'RequestFailed'
    this.code = code
    this.data = data
  }
}

/** Requests to other participants. */
export interface Requests {
  send(to: string, method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>
}

interface Waiting {
  readonly to: string
  readonly rpc: string
  readonly onPending: ((pending: Pending) => void) | undefined
  resolve(result: JsonObject): void
  reject(error: unknown): void
}

/** The call that this code is answering: what it asks of others is on behalf of that call. */
export const answering = new AsyncLocalStorage<{ readonly envelope: string }>()

/** Matches answers to requests, by the id of the envelope or of JSON-RPC. */
export function createRequests(connection: SpaceConnection): Requests {
  const byEnvelope = new Map<string, Waiting>()
  const byRpc = new Map<string, string>()

  connection.incoming.listen((envelope) => {
    const { correlation_id: about, payload } = envelope
    const waiting = about === undefined ? undefined : byEnvelope.get(about)
    if (waiting !== undefined && about !== undefined && isPendingNotice(envelope, waiting)) {
      waiting.onPending?.(pendingFrom(about, payload))
      return
    }
    if (waiting !== undefined && about !== undefined && envelope.from === hubName && payload.event === 'error') {
      forget(about)
      waiting.reject(new RequestFailed(String(payload.code), String(payload.message), payload.data))
      return
    }
    if (envelope.kind === 'mcp' && payload.method === undefined) answered(envelope)
  })
  connection.changes.listen((change) => {
    if (change.kind !== 'ended') return
    for (const { reject } of byEnvelope.values()) reject(new RequestFailed('ended', change.words))
    byEnvelope.clear()
    byRpc.clear()
  })

  function answered({ from, correlation_id: about, payload }: Incoming): void {
    const id = about ?? byRpc.get(`${from} ${payload.id}`)
    const waiting = id === undefined ? undefined : byEnvelope.get(id)
    // Only the one who was asked answers, or the hub in its place.
    if (waiting === undefined || id === undefined || (from !== waiting.to && from !== hubName)) return
    if (payload.id !== waiting.rpc) return
    forget(id)
    const { error, result } = payload
    if (isPlainObject(error)) waiting.reject(new RequestFailed(Number(error.code), String(error.message), error.data))
    else waiting.resolve(result as JsonObject)
  }

  function forget(id: string): void {
    const waiting = byEnvelope.get(id)
    byEnvelope.delete(id)
    if (waiting !== undefined) byRpc.delete(`${waiting.to} ${waiting.rpc}`)
  }

  return {
    send: (to, method, params, { signal, onPending } = {}) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        if (connection.endedBy !== undefined) throw new RequestFailed('ended', connection.endedBy)
        const rpc = randomUUID()
        const payload = { jsonrpc: '2.0', id: rpc, method, params: withBehalf(method, params) }
        const { id } = connection.send({ to: [to], kind: 'mcp', payload })
        const giveUp = () => {
          forget(id)
          const cancel = { requestId: rpc, reason: 'The caller gave up.' }
          const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: cancel }
          connection.send({ to: [to], kind: 'mcp', payload: notice })
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        const end = () => signal?.removeEventListener('abort', giveUp)
        byRpc.set(`${to} ${rpc}`, id)
        byEnvelope.set(id, {
          to,
          rpc,
          onPending,
          resolve(result) {
            end()
            resolve(result)
          },
          reject(error) {
            end()
            reject(error)
          },
        })
      }),
  }
}

/** A call on behalf of the one that is being answered, or of nobody. */
function withBehalf(method: string, params: JsonObject): JsonObject {
  if (method !== 'tools/call') return params
  const meta = isPlainObject(params._meta) ? (params._meta as JsonObject) : {}
  return { ...params, _meta: { ...meta, [onBehalfKey]: answering.getStore()?.envelope ?? null } }
}

function isPendingNotice({ from, kind, payload }: Incoming, { to }: Waiting): boolean {
  if (from === hubName && kind === 'system') return payload.event === 'pending' || payload.event === 'absent'
  return from === to && payload.method === pendingMethod
}

/** By which an agent that asks by itself tells its caller that a person must answer first. */
export const pendingMethod = 'notifications/pending'

function pendingFrom(correlationId: string, payload: JsonObject): Pending {
  const said = isPlainObject(payload.params) ? payload.params : payload
  return {
    correlationId,
    message: String(said.message),
    ...(typeof said.link === 'string' && { link: said.link }),
    ...(typeof said.expiresAt === 'string' && { expiresAt: said.expiresAt }),
  }
}
