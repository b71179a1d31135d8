import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { createAssent } from '../../assent.ts'
import { type AssentServer, createAssentServer } from '../../server/assent-server.ts'
import { version } from '../version.ts'

/** The stdio server of the demo, written with the library. Runs until its client disconnects. */
export async function serveDemoTools(): Promise<void> {
  const assent = await createAssent({ store: 'memory:' })
  const asking = createAssentServer(assent, { name: 'Demo' })
  const notes = new Set(['shopping', 'ideas', 'secret plans'])
  const serving = asking.stdio(() => toolsServer(asking, notes))
  await new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  await serving.close()
  await assent.close()
}

function toolsServer(asking: AssentServer, notes: Set<string>): McpServer {
  const server = asking.server({ name: 'demo', version })
  const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

  server.registerTool('time', { description: 'Tells the time', annotations: { readOnlyHint: true } }, () =>
    say(new Date().toISOString()),
  )

  server.registerTool(
    'delete_note',
    {
      description: 'Deletes a note for ever',
      inputSchema: z.object({ name: z.string().describe('Which note') }),
      annotations: { destructiveHint: true },
    },
    ({ name }) => {
      const left = () => `Left: ${[...notes].join(', ') || 'none'}.`
      return notes.delete(name)
        ? say(`The note "${name}" is deleted. ${left()}`)
        : { ...say(`There is no note "${name}". ${left()}`), isError: true }
    },
  )

  server.registerTool(
    'plan_trip',
    { description: 'Plans a trip, and asks where to go' },
    asking.plainTool(async (ask) => {
      const trip = z.object({
        where: z.enum(['Lisbon', 'Kyoto', 'Oslo']),
        days: z.int().min(1).max(30),
        byTrain: z.boolean().default(false),
      })
      const { where, days, byTrain } = await ask.form('Where do you want to go, and for how long?', trip)
      return say(`${days} days in ${where}${byTrain ? ', by train' : ''}: a good plan.`)
    }),
  )
  return server
}
