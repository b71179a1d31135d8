import type { Move, Said, Turn } from './conversation.ts'
import { type Dialect, type Json, newId, type Reply, textOf } from './dialect.ts'

/** The Messages API, as Claude Code speaks it. */
export const anthropic: Dialect = {
  isFor: (path) => path.endsWith('/messages'),
  readTurn,
  reply,
}

function readTurn(body: Json): Turn {
  const names = new Map<string, string>()
  const said: Said[] = []
  for (const { role, content } of body.messages ?? []) {
    for (const part of Array.isArray(content) ? content : [{ type: 'text', text: content }]) {
      if (part.type === 'tool_use') names.set(part.id, part.name)
      if (part.type === 'text' && role === 'user') said.push({ by: 'user', text: part.text })
      if (part.type === 'tool_result') {
        said.push({ by: 'tool', name: names.get(part.tool_use_id) ?? '', text: textOf(part.content) })
      }
    }
  }
  return { said, tools: (body.tools ?? []).map(({ name }: Json) => ({ name })) }
}

function reply(move: Move, body: Json): Reply {
  const part =
    move.kind === 'call'
      ? { type: 'tool_use', id: newId('toolu'), name: move.tool.name, input: move.arguments }
      : { type: 'text', text: move.text }
  const message = {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [part],
    stop_reason: move.kind === 'call' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10 },
  }
  if (!body.stream) return { json: message }
  const empty = move.kind === 'call' ? { ...part, input: {} } : { type: 'text', text: '' }
  const delta =
    move.kind === 'call'
      ? { type: 'input_json_delta', partial_json: JSON.stringify(move.arguments) }
      : { type: 'text_delta', text: move.text }
  const { stop_reason, stop_sequence, usage } = message
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
  return { events: events.map((data) => ({ name: data.type, data })) }
}
