import { join } from 'node:path'
import type { Load } from './load-process.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import { startLoad, startServer, stopAll, withBuilt } from './processes.ts'

const rounds = 5
const calls = 1_600
const programs = [new URL('./nest-process.ts', import.meta.url), new URL('./load-process.ts', import.meta.url)]
const revisions = ['2025-11-25', '2026-07-28'] as const

/** `npm run bench -- nest`: a tool of a Nest application that asks nothing, without the module, with it, and by our transport. */
export async function bench(): Promise<void> {
  await withBuilt(programs, async (folder) => {
    const program = join(folder, 'nest-process.js')
    const servers = await Promise.all(
      ['without', 'module', 'transport'].map((how) => startServer<number>(program, [how])),
    )
    const load = await startLoad<Load>(join(folder, 'load-process.js'))
    const rows: Row<Omit<Load, 'port'>>[] = revisions.map((revision) => ({
      name: 'a tool that asks nothing',
      work: { revision, tool: 'echo', calls },
      costs: servers.map(() => []),
    }))
    console.log(
      `Node ${process.version}. CPU time per call of the server process in µs, median of ${rounds} interleaved rounds.\n` +
        'The module may cost at most 1.1 times the application without it.\n',
    )
    await measureRounds(rows, { rounds, servers, make: (work, port) => load.make({ ...work, port }) })
    costTable(rows, ['without', 'module', 'AssentTransport'])
    await stopAll([load.child, ...servers.map(({ child }) => child)])
  })
}
