import { join } from 'node:path'
import type { Load } from './load-process.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import { startLoad, startServer, stopAll, withBuilt } from './processes.ts'

const rounds = 5
const programs = [new URL('./server-process.ts', import.meta.url), new URL('./load-process.ts', import.meta.url)]

const works: { name: string; tool: string; calls: number }[] = [
  { name: 'a tool that asks nothing', tool: 'echo', calls: 1_600 },
  { name: 'a tool that could ask, and does not', tool: 'may-ask', calls: 1_600 },
  { name: 'a form: asked, answered, result', tool: 'form', calls: 480 },
]
const revisions = ['2025-11-25', '2026-07-28'] as const

/** `npm run bench -- server` */
export async function bench(): Promise<void> {
  await withBuilt(programs, async (folder) => {
    const program = join(folder, 'server-process.js')
    const servers = await Promise.all(['sdk', 'assent'].map((name) => startServer<number>(program, [name])))
    const load = await startLoad<Load>(join(folder, 'load-process.js'))
    const rows: Row<Omit<Load, 'port'>>[] = works.flatMap(({ name, tool, calls }) =>
      revisions.map((revision) => ({ name, work: { revision, tool, calls }, costs: servers.map(() => []) })),
    )
    console.log(
      `Node ${process.version}. CPU time per call of the server process in µs, median of ${rounds} interleaved rounds.\n`,
    )
    await measureRounds(rows, { rounds, servers, make: (work, port) => load.make({ ...work, port }) })
    costTable(rows, ['SDK', 'Assent'])
    await stopAll([load.child, ...servers.map(({ child }) => child)])
  })
}
