import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { mustExist } from '../../src/elicitation/errors.ts'
import { createAssent, type ElicitationId, participantId } from '../../src/index.ts'
import { createAssentServer } from '../../src/server/index.ts'
import { keepConnections } from '../support/server/keep-connections.ts'

const issuer = 'https://login.example.com'
const login = {
  issuer,
  audience: 'http://127.0.0.1/mcp',
  byToken: async (subject: string) => ({
    participant: participantId({ issuer, subject }),
    client: 'desk',
    groups: [],
    scopes: [],
  }),
}

const assent = await createAssent({ store: 'memory:' })
const asking = createAssentServer({ ...assent, login }, { name: 'deployer', clocks: { hold: '10m' } })
const branch = z.object({ branch: z.string() })
const noArguments = z.object({})
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

const serving = asking.http(() => {
  const server = asking.server({ name: 'deployer', version: '1.0.0' })
  server.registerTool(
    'by-form',
    { inputSchema: noArguments },
    asking.tool(async (_, ask) => say(`on ${(await ask.form('Which branch?', branch)).branch}`)),
  )
  server.registerTool(
    'on-page',
    { inputSchema: noArguments },
    asking.tool(async (_, ask) => {
      await ask.confirm('Go ahead?', { answer: 'page' })
      return say('went ahead')
    }),
  )
  return server
})

interface Order {
  readonly kind: 'memory' | 'answer'
  readonly ids?: readonly ElicitationId[]
}

async function obey({ kind, ids = [] }: Order): Promise<unknown> {
  if (kind === 'memory') return memory()
  for (const id of ids) {
    const { requester } = mustExist(await assent.get(id), id)
    const answering = { participant: requester.participant, groups: [], via: 'page' } as const
    await assent.answer(id, answering, { action: 'accept', content: {} })
  }
  return true
}

/** After the garbage is gone; some of it only goes the second time. */
async function memory(): Promise<NodeJS.MemoryUsage> {
  for (let n = 0; n < 4; n++) {
    global.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage()
}

const server = createServer(keepConnections, serving.node)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', async (order: Order) => process.send?.(await obey(order)))
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
