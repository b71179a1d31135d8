import type { CallToolResult } from '@modelcontextprotocol/client'
import { BadArgument } from '../base/errors.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { inBackground } from '../base/under-way.ts'
import { type MessageId, type RpcMessage, readRpc, rpcKey } from '../hub/wire/envelope.ts'
import { codes } from '../mcp/codes.ts'
import { connectToSpace, type Incoming, type SpaceConnectionOptions } from './connection.ts'
import { type AnswerQuestions, answerQuestion } from './elicitation.ts'
import { createRequests, type RequestOptions } from './requests.ts'
import { createServing, type ServedTools, type ServeToolsOptions, type Serving } from './serve.ts'
import type { ToolDescription } from './tools/source.ts'

/** Somebody in the space. */
export interface SpaceParticipant {
  readonly id: string
  readonly name: string
  readonly kind: 'human' | 'agent' | 'robot'
  /** The human for whom an agent acts. */
  readonly for?: string
}

/** A tool of another agent. */
export interface SpaceTool extends ToolDescription {
  readonly agent: string
}

/** That somebody came or went, or that our own connection was lost or made again. */
export interface PresenceChange {
  readonly event: 'join' | 'leave' | 'heartbeat' | 'lost' | 'joined' | 'ended'
  readonly participant?: SpaceParticipant
  readonly reason?: string
}

/** A space, as one who takes part in it. */
export interface JoinedSpace {
  /** Our id in the space. */
  readonly id: string
  /** Who is here, ourselves included. */
  participants(): readonly SpaceParticipant[]
  /** The tools of all other agents that are here and say what they have within this time. Default: 15 seconds. */
  tools(withinMs?: number): Promise<readonly SpaceTool[]>
  /** Calls a tool of another agent. A refusal is a result with `isError`; waiting for a person takes as long as it takes. */
  call(agent: string, tool: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  /** Serves tools of our own. */
  serveTools(served: ServedTools, options?: ServeToolsOptions): Promise<void>
  /** Answers the questions that others ask us. Without it they are told that we cannot be asked. */
  onElicitation(by: AnswerQuestions): void
  /** Returns how to stop listening. */
  onPresence(listener: (change: PresenceChange) => void): () => void
  /** Every envelope that arrives, as it came. Returns how to stop listening. */
  onEnvelope(listener: (envelope: Incoming) => void): () => void
  /** Sends a notification, to everybody unless `to` names somebody. */
  notify(method: string, params: JsonObject, to?: readonly string[]): void
  /** Leaves the space. */
  close(): Promise<void>
}

type RpcRequest = Extract<RpcMessage, { kind: 'request' }>

/** Joins a space of a hub as an agent or a person. The connection is made again when it is lost. */
export async function joinSpace(options: SpaceConnectionOptions): Promise<JoinedSpace> {
  const connection = await connectToSpace(options)
  const requests = createRequests(connection)
  const here = new Map<string, SpaceParticipant>()
  // Whom a call is for must be known also when its caller has left.
  const met = new Map<string, SpaceParticipant>()
  const listeners = new Set<(change: PresenceChange) => void>()
  /** What we are asked and called, by who asks and under which id. */
  const underWay = new Map<string, AbortController>()
  let serving: Serving | undefined
  let answerer: AnswerQuestions | undefined

  const tell = (change: PresenceChange) => {
    for (const listener of listeners) listener(change)
  }

  function meet(participant: SpaceParticipant): void {
    here.set(participant.id, participant)
    met.set(participant.id, participant)
  }

  function meetAll(): void {
    here.clear()
    for (const one of connection.welcome().participants as unknown as SpaceParticipant[]) meet(one)
  }

  function hearPresence({ payload }: Incoming): void {
    const participant = payload.participant as unknown as SpaceParticipant
    const event = payload.event as 'join' | 'leave' | 'heartbeat'
    if (event === 'leave') here.delete(participant.id)
    else meet(participant)
    tell({ event, participant, ...(typeof payload.reason === 'string' && { reason: payload.reason }) })
  }

  function reply(envelope: Incoming, body: JsonObject): void {
    const payload = { jsonrpc: '2.0', id: envelope.payload.id, ...body } as JsonObject
    connection.send({ to: [envelope.from], kind: 'mcp', correlationId: envelope.id, payload })
  }

  async function answer(envelope: Incoming, method: string, signal: AbortSignal): Promise<JsonObject> {
    const { params } = envelope.payload
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: connection.id, version: '1' },
          },
        }
      case 'ping':
        return { result: {} }
      case 'tools/list':
        return { result: serving === undefined ? { tools: [] } : await serving.list() }
      case 'tools/call': {
        if (serving === undefined) break
        const result = await serving.call(envelope, signal)
        return isPlainObject(result.error) ? { error: result.error as JsonObject } : { result }
      }
      case 'elicitation/create': {
        if (answerer === undefined) break
        return { result: await answerQuestion(answerer, { from: envelope.from, params: params as JsonObject, signal }) }
      }
    }
    return { error: { code: codes.methodNotFound, message: `${connection.id} does not answer ${method}.` } }
  }

  async function serveRequest(envelope: Incoming, { id, method }: RpcRequest): Promise<void> {
    const name = `${envelope.from} ${rpcKey(id)}`
    const stop = new AbortController()
    underWay.set(name, stop)
    try {
      reply(envelope, await answer(envelope, method, stop.signal))
    } catch (error) {
      // Whoever asked waits no longer.
      if (stop.signal.aborted) return
      reply(envelope, {
        error: { code: codes.internalError, message: error instanceof Error ? error.message : String(error) },
      })
    } finally {
      underWay.delete(name)
    }
  }

  function callOff({ from, payload }: Incoming): void {
    const id = isPlainObject(payload.params) ? (payload.params.requestId as MessageId) : ''
    underWay.get(`${from} ${rpcKey(id)}`)?.abort(new Error('The caller gave up.'))
  }

  meetAll()
  connection.changes.listen((change) => {
    if (change.kind === 'joined') meetAll()
    tell({ event: change.kind, ...('words' in change && { reason: change.words }) })
  })
  connection.incoming.listen((envelope) => {
    if (envelope.kind === 'presence') return hearPresence(envelope)
    if (envelope.kind !== 'mcp') return
    const rpc = readRpc(envelope.payload)
    if (rpc?.kind === 'request') inBackground(serveRequest(envelope, rpc))
    if (rpc?.kind === 'notification' && rpc.method === 'notifications/cancelled') callOff(envelope)
  })

  return {
    id: connection.id,
    participants: () => [...here.values()],
    async tools(withinMs = 15_000) {
      const agents = [...here.values()].filter(({ id, kind }) => kind !== 'human' && id !== connection.id)
      const lists = await Promise.allSettled(
        agents.map(async ({ id }) => ({
          id,
          ...(await requests.send(id, 'tools/list', {}, { signal: AbortSignal.timeout(withinMs) })),
        })),
      )
      return lists.flatMap((list) => {
        if (list.status === 'rejected') return []
        const { id, tools } = list.value as unknown as { id: string; tools: ToolDescription[] }
        return tools.map((tool) => ({ ...tool, agent: id }))
      })
    },
    call: (agent, tool, args = {}, callOptions) =>
      requests.send(
        agent,
        'tools/call',
        { name: tool, arguments: args },
        callOptions,
      ) as Promise<unknown> as Promise<CallToolResult>,
    async serveTools(served, serveOptions) {
      if (serving !== undefined) throw new BadArgument('Tools are served already.')
      const space = String(connection.welcome().topic)
      serving = await createServing(
        { space, connection, requests, participants: () => [...met.values()] },
        served,
        serveOptions,
      )
    },
    onElicitation(by) {
      answerer = by
    },
    onPresence(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onEnvelope: (listener) => connection.incoming.listen(listener),
    notify(method, params, to = []) {
      connection.send({ to, kind: 'mcp', payload: { jsonrpc: '2.0', method, params } })
    },
    async close() {
      listeners.clear()
      await serving?.close()
      await connection.close()
    },
  }
}
