import express from 'express'
import { mcp, pages, port } from './server.ts'

const app = express()
app.all('/mcp', express.json({ limit: '4mb' }), (request, response) => {
  mcp.handle(request, response, { body: request.body })
})
// After your own routes. The pages read their forms themselves: no body parser in front of them.
app.use(pages.node)
app.listen(port, '127.0.0.1')
