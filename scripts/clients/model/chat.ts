import type { Move, Said, Turn } from './conversation.ts'
import { type Dialect, type Json, newId, type Reply, textOf } from './dialect.ts'

/** OpenAI's chat completions, as Copilot CLI and opencode speak them to a provider of the user's own. */
export const chat: Dialect = {
  isFor: (path) => path.endsWith('/chat/completions'),
  readTurn,
  reply,
}

function readTurn(body: Json): Turn {
  const names = new Map<string, string>()
  const said: Said[] = []
  for (const message of body.messages ?? []) {
    for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name)
    if (message.role === 'user') said.push({ by: 'user', text: textOf(message.content) })
    if (message.role === 'tool') {
      said.push({ by: 'tool', name: names.get(message.tool_call_id) ?? '', text: textOf(message.content) })
    }
  }
  return { said, tools: (body.tools ?? []).map((tool: Json) => ({ name: tool.function?.name ?? tool.name ?? '' })) }
}

function reply(move: Move, body: Json): Reply {
  const head = { id: newId('chatcmpl'), created: Math.floor(Date.now() / 1_000), model: body.model }
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  const finish_reason = move.kind === 'call' ? 'tool_calls' : 'stop'
  const message = move.kind === 'call' ? { content: null, tool_calls: [toolCall(move)] } : { content: move.text }
  if (!body.stream) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason }
    return { json: { ...head, object: 'chat.completion', choices: [choice], usage } }
  }
  const chunk = (choices: Json[], more = {}) => ({
    data: { ...head, object: 'chat.completion.chunk', choices, ...more },
  })
  return {
    events: [
      chunk([{ index: 0, delta: { role: 'assistant', ...message }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      { data: '[DONE]' },
    ],
  }
}

function toolCall({ tool, arguments: given }: Extract<Move, { kind: 'call' }>): Json {
  const call = { name: tool.name, arguments: JSON.stringify(given) }
  return { index: 0, id: newId('call'), type: 'function', function: call }
}
