import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAssent } from 'assent'
import { createAssentServer } from 'assent/server'
import { createWeb } from 'assent/web'
import { padProvider } from './pad-provider.ts'

const { PAD = 'http://127.0.0.1:4191', PORT = '4181', APP_SECRET: appSecret = 'secret' } = process.env
const pad = padProvider({ url: new URL(PAD), appId: 'notes-for-agents', appSecret })
const assent = await createAssent({
  store: 'memory:',
  publicUrl: `http://127.0.0.1:${PORT}`,
  providers: new Map([[pad.name, pad]]),
})
const asking = createAssentServer(assent, { name: 'Notes' })

const mcp = asking.http(() => {
  const server = asking.server({ name: 'notes', version: '1.0.0' })
  server.registerTool(
    'read_pad',
    { description: 'Reads the pad of whoever calls' },
    asking.plainTool(async (ask) => {
      const account = await ask.connection('pad')
      const reply = await fetch(new URL('/pad', PAD), { headers: account.headers })
      if (reply.status === 401) await account.rejected()
      return { content: [{ type: 'text', text: await reply.text() }], isError: !reply.ok }
    }),
  )
  return server
})
const web = createWeb(assent)
const server = createServer((request, reply) => (request.url?.startsWith('/mcp') ? mcp : web).node(request, reply))
await once(server.listen(Number(PORT), '127.0.0.1'), 'listening')
console.log(`MCP is served at http://127.0.0.1:${PORT}/mcp`)
console.log(`Open this first, once: ${await web.enrollLink('/connections')}`)
