import { createAssent } from 'assent'
import { createAssentServer } from 'assent/server'
import { createWeb } from 'assent/web'
import { z } from 'zod'

export const port = Number(process.env.PORT ?? 4181)
const assent = await createAssent({ store: 'memory:', publicUrl: `http://127.0.0.1:${port}` })
export const asking = createAssentServer(assent, { name: 'deploy' })
export const pages = createWeb(assent)

export const deploy = asking.tool(async ({ env }: { env: string }, ask) => {
  const { ticket } = await ask.form('Which change ticket?', z.object({ ticket: z.string() }))
  const key = await ask.secret('Enter the deploy key.', { fieldLabel: 'Deploy key' })
  return { content: [{ type: 'text', text: `Deployed ${ticket} to ${env} with …${key.slice(-4)}` }] }
})

export const mcp = asking.http(() => {
  const server = asking.server({ name: 'deploy', version: '1.0.0' })
  server.registerTool('deploy', { inputSchema: z.object({ env: z.string() }) }, deploy)
  return server
})
console.log(`Open this link once in your browser: ${await pages.enrollLink()}`)
