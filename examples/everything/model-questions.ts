import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type McpServer,
  type SamplingMessage,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { say } from './say.ts'

/**
 * Tools that ask the client's model, or for its folders. A person has no part in that, so these are the SDK's own
 * questions, and a handler that is called again looks for the answers itself. Assent seals the state that such a
 * handler keeps, if it keeps one, and gives it back opened.
 */
export function addModelQuestions(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'answer')
      if (answer.kind !== 'sampling') return inputRequired({ inputRequests: { answer: askModel(prompt, 100) } })
      return say(`LLM response: ${wordsIn(answer.result)}`)
    },
  )

  server.registerTool(
    'test_input_required_result_sampling',
    { description: "Asks the client's model what the capital of France is" },
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
      if (answer.kind === 'sampling') return say(wordsIn(answer.result))
      return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?', 100) } })
    },
  )

  // A client that has not said it has a model is told what it lacks, with the error the protocol has for that.
  server.registerTool('test_missing_capability', { description: 'Needs a client with a model' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'answer')
    if (answer.kind === 'sampling') return say(wordsIn(answer.result))
    return inputRequired({ inputRequests: { answer: askModel('Are you there?', 10) } })
  })

  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Asks for the folders that the client works in' },
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
      if (answer.kind === 'roots') return say(answer.roots.map(({ uri }) => uri).join('\n'))
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
  )

  addMixed(server)
}

/** Questions to a person, a model and a client in one round. */
function addMixed(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks for a name, a greeting and folders at once' },
    ({ mcpReq }) => {
      const [name, greeting, roots] = ['user_name', 'greeting', 'client_roots'].map((key) =>
        inputResponse(mcpReq.inputResponses, key),
      )
      if (name?.kind === 'elicit' && greeting?.kind === 'sampling' && roots?.kind === 'roots') {
        return say(`${wordsIn(greeting.result)} ${name.content?.name ?? ''} (${roots.roots.length} folders)`)
      }
      const inputRequests = {
        user_name: askName(),
        greeting: askModel('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      }
      return inputRequired({ inputRequests, requestState: 'asked' })
    },
  )

  // Only what this very request says its client can do may be asked of it.
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks whatever the client can answer' },
    (ctx) => {
      if (ctx.mcpReq.inputResponses !== undefined) return say('Thank you')
      const { elicitation, sampling } = capabilitiesIn(ctx)
      return inputRequired({
        inputRequests: {
          ...(elicitation && { user_name: askName() }),
          ...(sampling && { greeting: askModel('Generate a greeting', 50) }),
        },
        requestState: 'asked',
      })
    },
  )
}

function askModel(text: string, maxTokens: number) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })
}

function askName() {
  return inputRequired.elicit({ message: 'What is your name?', requestedSchema: z.object({ name: z.string() }) })
}

function capabilitiesIn({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

function wordsIn({ content }: Pick<SamplingMessage, 'content'>): string {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
}
