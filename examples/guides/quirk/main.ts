import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAssent } from 'assent'
import { createAssentServer, type Quirk } from 'assent/server'
import { z } from 'zod'

/** Says that it shows forms, and before 2.1.0 answers each with "cancel" without showing it. */
const sleepyEditor: Quirk = { name: 'sleepy-editor', until: '2.1.0', lacks: ['form'] }

const { PORT = '4181' } = process.env
const assent = await createAssent({ store: 'memory:', publicUrl: `http://127.0.0.1:${PORT}` })
const asking = createAssentServer(assent, { name: 'Deploy', quirks: [sleepyEditor] })

const mcp = asking.http(() => {
  const server = asking.server({ name: 'deploy', version: '1.0.0' })
  server.registerTool(
    'deploy',
    { description: 'Deploys a branch' },
    asking.plainTool(async (ask) => {
      const { branch } = await ask.form('Which branch?', z.object({ branch: z.string() }))
      return { content: [{ type: 'text', text: `Deployed ${branch}.` }] }
    }),
  )
  return server
})
await once(createServer(mcp.node).listen(Number(PORT), '127.0.0.1'), 'listening')
console.log(`MCP is served at http://127.0.0.1:${PORT}/mcp`)
