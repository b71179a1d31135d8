import type { Move, Said, Turn } from './conversation.ts'
import { type Dialect, type Json, type Reply, textOf } from './dialect.ts'

/** Gemini's generateContent, as Gemini CLI speaks it. */
export const gemini: Dialect = {
  isFor: (path) => /:(stream)?generateContent$/i.test(path),
  readTurn,
  reply,
}

function readTurn(body: Json): Turn {
  const said: Said[] = []
  for (const { role, parts } of body.contents ?? []) {
    for (const part of parts ?? []) {
      if (part.text && role !== 'model') said.push({ by: 'user', text: part.text })
      if (part.functionResponse) {
        const { name, response } = part.functionResponse
        said.push({ by: 'tool', name, text: textOf(response?.output ?? response?.error ?? response) })
      }
    }
  }
  const tools = (body.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? [])
  return { said, tools: tools.map(({ name }: Json) => ({ name })) }
}

function reply(move: Move, body: Json, path: string): Reply {
  const part = partOf(move, body.generationConfig?.responseMimeType === 'application/json')
  const json = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  }
  return /:stream/i.test(path) ? { events: [{ data: json }] } : { json }
}

/** Between turns the client wants JSON: who speaks next, and which model is to be used. */
function partOf(move: Move, asJson: boolean): Json {
  if (asJson) return { text: JSON.stringify({ reasoning: 'done', next_speaker: 'user', model_choice: 'flash' }) }
  return move.kind === 'call' ? { functionCall: { name: move.tool.name, args: move.arguments } } : { text: move.text }
}
