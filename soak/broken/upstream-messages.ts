import type { Random } from '../random.ts'
import { mutated } from './mutate.ts'

type Id = string | number | undefined

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const ask = { mode: 'form', message: 'Who?', requestedSchema: form }

/** Messages that an upstream may send during a call, before they are mutated. */
const messagesDuringCall = (id: Id): readonly object[] => [
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
  { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///x' } },
  { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'nobody' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } },
  { jsonrpc: '2.0', id: 'ping', method: 'ping' },
  { jsonrpc: '2.0', id: 'who', method: 'elicitation/create', params: ask },
  {
    jsonrpc: '2.0',
    id: 'page',
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: 'e' },
  },
  { jsonrpc: '2.0', id: 'model', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
  { jsonrpc: '2.0', id: 'roots', method: 'roots/list' },
  { jsonrpc: '2.0', id: 424_242, result: { content: [] } },
]

/** Responses to a call, before they are mutated. */
const responses = (id: Id): readonly object[] => [
  { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x' }] } },
  { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [], structuredContent: { a: [1] }, isError: true } },
  { jsonrpc: '2.0', id, error: { code: -32_000, message: 'no', data: { a: 1 } } },
  {
    jsonrpc: '2.0',
    id,
    error: {
      code: -32_042,
      message: 'go',
      data: { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://example.com/', message: 'Go' }] },
    },
  },
  {
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'input_required',
      requestState: 'theirs',
      inputRequests: { a: { method: 'elicitation/create', params: ask } },
    },
  },
]

export const brokenMessage = (id: Id, random: Random) => mutated(random.pick(messagesDuringCall(id)), random)
export const brokenResponse = (id: Id, random: Random) => mutated(random.pick(responses(id)), random)

const tool = { name: 'run', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }

/** The results of the requests before a call; undefined for an unknown method. */
export function handshakeResult(method: unknown, isNew: boolean): object | undefined {
  if (method === 'tools/list') return { resultType: 'complete', tools: [tool], ttlMs: 1_000, cacheScope: 'public' }
  if (method === 'server/discover' && isNew) {
    return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0 }
  }
  if (method === 'initialize' && !isNew) {
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } }
  }
  return method === 'ping' ? {} : undefined
}
