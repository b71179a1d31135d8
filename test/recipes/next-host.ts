import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import * as pages from '../../examples/recipes/next/app/[...page]/route.ts'
import * as mcp from '../../examples/recipes/next/app/mcp/route.ts'

/** Calls the exports of the route files with web requests, as Next.js does. */
type Route = Readonly<Partial<Record<string, (request: Request) => Promise<Response>>>>
const handle = (route: Route, request: Request) =>
  route[request.method]?.(request) ?? new Response('Method not allowed', { status: 405 })

const app = new Hono<{ Bindings: HttpBindings }>()
app.all('/mcp', (c) => handle(mcp as unknown as Route, c.req.raw))
app.all('*', (c) => handle(pages as unknown as Route, c.req.raw))
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
