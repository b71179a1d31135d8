import { completable, type GetPromptResult, type McpServer } from '@modelcontextprotocol/server'
import type { AssentServer } from 'assent/server'
import { z } from 'zod'
import { redPixel } from './samples.ts'

/** Prompts: plain, with arguments, with things in them, and one that asks before it is written. */
export function addPrompts(server: McpServer, { prompt }: AssentServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A sentence' }, () =>
    words('This is a simple prompt for testing.'),
  )

  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A sentence with two gaps',
      argsSchema: z.object({
        arg1: completable(z.string().describe('First test argument'), (begun) =>
          ['paris', 'park', 'party'].filter((word) => word.startsWith(begun)),
        ),
        arg2: z.string().describe('Second test argument'),
      }),
    },
    ({ arg1, arg2 }) => words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  )

  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A resource and what to do with it',
      argsSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        ...words('Please process the embedded resource above.').messages,
      ],
    }),
  )

  server.registerPrompt('test_prompt_with_image', { description: 'An image and what to do with it' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: redPixel, mimeType: 'image/png' } },
      ...words('Please analyze the image above.').messages,
    ],
  }))

  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks what it is about', argsSchema: z.object({}) },
    prompt(async (_, ask) => {
      const { context } = await ask.form('What context should the prompt use?', z.object({ context: z.string() }), {
        key: 'user_context',
      })
      return words(`Please go on with this in mind: ${context}`)
    }),
  )
}

function words(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}
