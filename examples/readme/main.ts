import { createAssent } from 'assent'
import { createAssentServer } from 'assent/server'
import { z } from 'zod'

const asking = createAssentServer(await createAssent({ store: 'memory:' }), { name: 'deploy' })
const deploy = asking.plainTool(async (ask) => {
  const { env } = await ask.form('Deploy where?', z.object({ env: z.enum(['staging', 'production']) }))
  await ask.confirm(`Deploy to ${env}?`)
  return ask.once('deploy', () => ({ content: [{ type: 'text', text: `Deployed to ${env}.` }] }))
})
asking.stdio(() => {
  const server = asking.server({ name: 'deploy', version: '1.0.0' })
  server.registerTool('deploy', {}, deploy)
  return server
})
