import { createServer } from 'node:http'
import { createAssent } from 'assent'
import { createGateway } from 'assent/gateway'
import { createWeb } from 'assent/web'

const port = Number(process.env.PORT ?? 4180)
const assent = await createAssent({
  store: 'memory:',
  publicUrl: `http://127.0.0.1:${port}`,
  policy: { rules: [{ server: 'tools', tool: 'read_*', decide: 'allow' }], default: 'ask', fallback: 'inbox' },
})
const pages = createWeb(assent)
// The MCP server that knows nothing of Assent: here a program, or `{ url }` for one that runs already.
const [command = 'node', ...args] = process.argv.slice(2)
const gateway = createGateway({ assent, servers: { tools: { command, args } } })
createServer((request, response) => {
  if (!gateway.handle(request, response)) pages.node(request, response)
}).listen(port, '127.0.0.1')
console.log(`Open this link once in your browser: ${await pages.enrollLink()}`)
