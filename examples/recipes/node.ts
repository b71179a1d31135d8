import { createServer } from 'node:http'
import { mcp, pages, port } from './server.ts'

createServer((request, response) => {
  if (request.url === '/mcp') mcp.node(request, response)
  else pages.node(request, response)
}).listen(port, '127.0.0.1')
