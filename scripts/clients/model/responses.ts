import type { Move, OfferedTool, Said, Turn } from './conversation.ts'
import { type Dialect, type Json, newId, type Reply, textOf } from './dialect.ts'

/** OpenAI's Responses API, as Codex speaks it: tools in namespaces, some only found by a search. */
export const responses: Dialect = {
  isFor: (path) => path.endsWith('/responses'),
  readTurn,
  reply,
}

function readTurn(body: Json): Turn {
  const names = new Map<string, string>()
  const said: Said[] = []
  const found: Json[] = []
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])
  for (const item of input) {
    if (item.type === 'function_call') names.set(item.call_id, item.name)
    if (item.role === 'user') said.push({ by: 'user', text: textOf(item.content) })
    if (item.type === 'function_call_output') {
      said.push({ by: 'tool', name: names.get(item.call_id) ?? '', text: textOf(item.output?.content ?? item.output) })
    }
    if (item.type === 'tool_search_output') {
      found.push(...(item.tools ?? []))
      said.push({ by: 'tool', name: 'tool_search', text: '' })
    }
  }
  return { said, tools: flat([...(body.tools ?? []), ...found]) }
}

function flat(tools: readonly Json[], namespace?: string): OfferedTool[] {
  return tools.flatMap((tool) =>
    tool.type === 'namespace'
      ? flat(tool.tools ?? [], tool.name)
      : [{ name: tool.name ?? tool.type, type: tool.type, ...(namespace !== undefined && { namespace }) }],
  )
}

function reply(move: Move, body: Json): Reply {
  const item = itemOf(move)
  const response = {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status: 'completed',
    model: body.model,
    output: [item],
    usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
  }
  if (!body.stream) return { json: response }
  const begun = { ...item, status: 'in_progress', ...(item.type === 'message' && { content: [] }) }
  const events: Json[] = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: begun },
    ...textEvents(item, move),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  return { events: events.map((event, sequence_number) => ({ name: event.type, data: { ...event, sequence_number } })) }
}

function itemOf(move: Move): Json {
  const status = 'completed'
  if (move.kind === 'say') {
    const content = [{ type: 'output_text', text: move.text, annotations: [] }]
    return { id: newId('msg'), type: 'message', role: 'assistant', status, content }
  }
  const { tool, arguments: given } = move
  const call_id = newId('call')
  if (tool.type === 'tool_search') {
    return { id: newId('ts'), type: 'tool_search_call', call_id, execution: 'client', status, arguments: given }
  }
  const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace }
  const call = { name: tool.name, ...namespace, arguments: JSON.stringify(given) }
  return { id: newId('fc'), type: 'function_call', call_id, status, ...call }
}

/** A client may show only what was streamed, so the text is streamed, in one piece. */
function textEvents(item: Json, move: Move): Json[] {
  if (move.kind === 'call') return []
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  return [
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...place, delta: move.text },
    { type: 'response.output_text.done', ...place, text: move.text },
  ]
}
