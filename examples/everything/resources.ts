import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { AssentServer } from 'assent/server'
import { z } from 'zod'
import { redPixel } from './samples.ts'

/** Resources: of text, of bytes, made by a template, watched, and one that asks before it is read. */
export function addResources(server: McpServer, { resource }: AssentServer): void {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'Some text', mimeType: 'text/plain' },
    ({ href: uri }) => text(uri, 'This is the content of the static text resource.'),
  )

  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: redPixel }] }),
  )

  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data for any id', mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` }
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] }
    },
  )

  server.registerResource(
    'diary',
    'test://diary',
    { description: 'A diary, which asks who reads it', mimeType: 'text/plain' },
    resource(async ({ href: uri }, ask) => {
      const { reader } = await ask.form('Who is reading?', z.object({ reader: z.string() }))
      return text(uri, `Dear ${reader}, today it rained.`)
    }),
  )

  addWatched(server)
}

/** Clients of 2025 subscribe to a resource by a request of its own; from 2026 on it is part of listening. */
function addWatched(server: McpServer): void {
  const watched = 'test://watched-resource'
  const isWatched = new Set<string>()
  let reads = 0

  server.server.registerCapabilities({ resources: { subscribe: true } })
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    isWatched.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    isWatched.delete(params.uri)
    return {}
  })

  server.registerResource(
    'watched',
    watched,
    { description: 'Counts its readers, and tells those who watch it', mimeType: 'text/plain' },
    async () => {
      reads += 1
      if (isWatched.has(watched)) await server.server.sendResourceUpdated({ uri: watched })
      return text(watched, `Read ${reads} times`)
    },
  )
}

function text(uri: string, words: string) {
  return { contents: [{ uri, mimeType: 'text/plain', text: words }] }
}
