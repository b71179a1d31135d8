import type { McpServer } from '@modelcontextprotocol/server'
import { redPixel, silence } from './samples.ts'
import { say } from './say.ts'

/** Tools that ask nothing: one for each kind of content that a tool can give back. */
export function addAnswers(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Gives text' }, () =>
    say('This is a simple text response for testing.'),
  )

  server.registerTool('test_image_content', { description: 'Gives an image' }, () => ({
    content: [{ type: 'image', data: redPixel, mimeType: 'image/png' }],
  }))

  server.registerTool('test_audio_content', { description: 'Gives a sound' }, () => ({
    content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  }))

  server.registerTool('test_embedded_resource', { description: 'Gives a resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }))

  server.registerTool('test_multiple_content_types', { description: 'Gives text, an image and a resource' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: redPixel, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }))

  // What a tool throws becomes a result that the model can read; a protocol error it would never see.
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}
