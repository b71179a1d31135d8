import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { mcp, pages, port } from './server.ts'

const app = new Hono<{ Bindings: HttpBindings }>()
app.all('/mcp', (c) => mcp.fetch(c.req.raw))
// After your own routes. With `c.env` the pages see from which machine a request comes.
app.all('*', (c) => pages.fetch(c.req.raw, c.env))
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
