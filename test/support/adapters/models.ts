/** A model that calls tools in one turn, all at once, and then says that it is done. */
export interface AgentModel {
  readonly calls: readonly { readonly tool: string; readonly arguments: object }[]
  /** Everything it was sent. */
  readonly seen: string[]
}

const lastWords = 'That is all.'

/** The model as the AI SDK calls one. */
export function aiModel({ calls, seen }: AgentModel) {
  let turn = 0
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
  return {
    specificationVersion: 'v4' as const,
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    async doGenerate({ prompt }: { readonly prompt: unknown }) {
      seen.push(JSON.stringify(prompt))
      turn += 1
      const mine = turn === 1 ? calls : []
      const content = mine.map(({ tool, arguments: given }, at) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${at}`,
        toolName: tool,
        input: JSON.stringify(given),
      }))
      return {
        content: content.length > 0 ? content : [{ type: 'text' as const, text: lastWords }],
        finishReason: { unified: content.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
        usage: { inputTokens: tokens, outputTokens: tokens },
        warnings: [],
      }
    },
    async doStream(): Promise<never> {
      throw new Error('It does not stream.')
    },
  }
}

/** The model as OpenAI Agents calls one. */
export function openAiModel({ calls, seen }: AgentModel) {
  let turn = 0
  const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  return {
    async getResponse({ input }: { readonly input: unknown }) {
      seen.push(JSON.stringify(input))
      turn += 1
      const mine = turn === 1 ? calls : []
      const output = mine.map(({ tool, arguments: given }, at) => ({
        type: 'function_call' as const,
        callId: `call-${at}`,
        name: tool,
        status: 'completed' as const,
        arguments: JSON.stringify(given),
      }))
      const said = [{ type: 'output_text' as const, text: lastWords }]
      const message = { type: 'message' as const, role: 'assistant' as const, status: 'completed', content: said }
      return { usage, output: output.length > 0 ? output : [message] }
    },
    getStreamedResponse(): never {
      throw new Error('It does not stream.')
    },
  }
}
