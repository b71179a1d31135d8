import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approveWhileKilling, startKilledHub } from '../test/support/hub/killed-hub.ts'

const [agents, calls, kills] = [50, 300, 5]

/** 300 approvals among 50 agents while the hub is killed five times: none is lost, none runs twice, none is silent. */
export async function soakHub(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-soak-hub-'))
  const hub = await startKilledHub(`sqlite:${join(folder, 'hub.db')}`, agents)
  try {
    const { runs, ends } = await approveWhileKilling(hub, agents, calls, kills)
    const wrong = ends.flatMap((end, n) => (end.status === 'fulfilled' && end.value === `did ${n}` ? [] : [{ n, end }]))
    const often = [...runs].filter(([, count]) => count !== 1)
    if (wrong.length > 0 || often.length > 0 || runs.size !== calls) {
      throw new Error(`The hub lost or repeated calls: ${JSON.stringify({ wrong, often, ran: runs.size })}`)
    }
    print(`hub: ${calls} approvals among ${agents} agents, ${kills} kills: each ran once`)
  } finally {
    hub.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
