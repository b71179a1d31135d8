import fastify from 'fastify'
import { mcp, pages, port } from './server.ts'

const app = fastify({ bodyLimit: 4 * 1024 * 1024 })
app.all('/mcp', (request, reply) => {
  reply.hijack()
  mcp.handle(request.raw, reply.raw, { body: request.body ?? undefined })
})
// The pages read their forms themselves, so these routes get a parser that leaves the body unread.
app.register(async (routes) => {
  routes.addContentTypeParser('*', (_request, _body, done) => done(null))
  routes.all('/*', (request, reply) => {
    reply.hijack()
    pages.node(request.raw, reply.raw)
  })
})
await app.listen({ port, host: '127.0.0.1' })
