import { z } from 'zod'
import { createAssent } from '../../src/index.ts'
import { createAssentServer } from '../../src/server/index.ts'

const assent = await createAssent({ store: process.argv[2] as string })
assent.events.listen((news) => process.stderr.write(JSON.stringify(news)))
const asking = createAssentServer(assent, { name: 'payments', clocks: { hold: '2m' } })

asking.stdio(() => {
  const server = asking.server({ name: 'payments', version: '1.0.0' })
  server.registerTool(
    'connect',
    { inputSchema: z.object({ env: z.string() }) },
    asking.tool(async ({ env }: { env: string }, ask) => {
      const secret = await ask.secret(`The key of ${env}?`, { key: 'key', type: `key-${env}` })
      // Remembered, and so kept: sealed.
      await ask.once('log-in', () => secret)
      return { content: [{ type: 'text', text: `a key of ${secret.length} characters` }] }
    }),
  )
  return server
})
