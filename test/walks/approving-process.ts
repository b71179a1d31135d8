import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { createAssent } from '../../src/index.ts'
import { createAssentServer } from '../../src/server/index.ts'
import { login } from '../support/server/asking-server.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { policy } from './approving-policy.ts'

const [store, deeds] = process.argv.slice(2) as [string, string]
const assent = await createAssent({ store, policy, limits: { openPerRequester: 1_000 } })
const asking = createAssentServer({ ...assent, login }, { name: 'deployer', clocks: { hold: 1 } })

const serving = asking.http(() => {
  const server = asking.server({ name: 'deployer', version: '1.0.0' })
  for (const name of ['deploy', 'pay']) {
    server.registerTool(
      name,
      { inputSchema: z.object({ n: z.number() }) },
      asking.approvedTool(({ n }: { n: number }) => {
        // On disk at once: what was done stays done when the process is killed.
        appendFileSync(deeds, `${name} ${n}\n`)
        return { content: [{ type: 'text', text: `done ${n}` }] }
      }),
    )
  }
  return server
})

const server = createServer(keepConnections, serving.node)
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
