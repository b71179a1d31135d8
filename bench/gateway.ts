import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { GatewayLoad } from './gateway-load-process.ts'
import { median, table } from './measure.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import { type Server, startLoad, startServer, stopAll, withBuilt } from './processes.ts'

const rounds = 5
const names = ['bare proxy', 'SDK server, direct', 'Assent, /mcp/{server}', 'Assent, /mcp']
const revisions = ['2025-11-25', '2026-07-28'] as const
const works = [
  { name: 'an allowed call', tool: 'echo', calls: 4_000 },
  { name: 'a form: asked, answered, result', tool: 'form', calls: 160 },
] as const
const programs = [
  'gateway-upstream-process',
  'gateway-process',
  'gateway-mcp-proxy-process',
  'gateway-load-process',
].map((name) => new URL(`./${name}.ts`, import.meta.url))

type Work = Omit<GatewayLoad, 'port' | 'prefix'>

/** The ports of gateways that are called at `/mcp`, which joins all servers. */
const joined = new Set<number>()
const prefixAt = (port: number) => (joined.has(port) ? 'up__' : '')
type Load = Awaited<ReturnType<typeof startLoad<GatewayLoad>>>

/** `npm run bench -- gateway`: an allowed call and a form through the gateway, compared with a plain proxy. */
export async function bench(): Promise<void> {
  await withBuilt(programs, async (folder) => {
    const load = await startLoad<GatewayLoad>(join(folder, 'gateway-load-process.js'))
    const children: ChildProcess[] = [load.child]
    const costs: Row<Work>[] = []
    const others: Row<Work>[] = []
    const times: (string | number)[][] = []
    for (const revision of revisions) {
      const servers = await contenders(folder, revision)
      children.push(...servers.map(({ child }) => child))
      const rows: Row<Work>[] = works.map(({ name, tool, calls }) => ({
        name,
        work: { revision, tool, calls, connections: 16, reports: 'count' },
        costs: servers.map(() => []),
      }))
      if (revision === '2025-11-25') {
        const [proxy, upstream] = servers as [Server<number>, Server<number>]
        const other = await startServer<number>(join(folder, 'gateway-mcp-proxy-process.js'), [
          String(upstream.details),
        ])
        children.push(other.child)
        const beside = { ...(rows[0] as Row<Work>), costs: [[], []] }
        await measureRounds([beside], {
          rounds,
          servers: [proxy, other],
          make: (work, port) => load.make({ ...work, port, prefix: prefixAt(port) }),
        })
        others.push(beside)
      }
      await measureRounds(rows, {
        rounds,
        servers,
        make: (work, port) => load.make({ ...work, port, prefix: prefixAt(port) }),
      })
      costs.push(...rows)
      for (const { name, tool } of works)
        times.push([name, revision, ...(await latencies(load, servers, revision, tool))])
    }
    console.log(`Node ${process.version}, ${rounds} interleaved rounds, medians.\n`)
    console.log('CPU time per call of the process in between, in µs (of the server itself if it is called directly):')
    costTable(costs, names)
    console.log(
      'For comparison mcp-proxy, which neither decides nor audits (newer versions need a newer Node; no 2026-07-28):',
    )
    costTable(others, ['bare proxy', 'mcp-proxy 5.12.5'])
    console.log('Latency with one connection, p50 in µs:')
    table(['', 'revision', ...names, 'added at /mcp/{server}', 'added at /mcp'], times)
    await stopAll(children)
  })
}

async function contenders(folder: string, revision: string): Promise<Server<number>[]> {
  const upstream = await startServer<number>(join(folder, 'gateway-upstream-process.js'), [revision])
  const between = ['proxy', 'assent', 'joined'].map((kind) =>
    startServer<number>(join(folder, 'gateway-process.js'), [kind, String(upstream.details)]),
  )
  const [proxy, assent, all] = (await Promise.all(between)) as [Server<number>, Server<number>, Server<number>]
  joined.add(all.details)
  return [proxy, upstream, assent, all]
}

async function latencies(
  load: Load,
  servers: readonly Server<number>[],
  revision: Work['revision'],
  tool: Work['tool'],
): Promise<number[]> {
  const taken: number[][] = servers.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { details }] of servers.entries()) {
      const p50 = await load.make({
        port: details,
        prefix: prefixAt(details),
        revision,
        tool,
        calls: 100,
        connections: 1,
        reports: 'p50',
      })
      if (round > 0) taken[index]?.push(p50)
    }
  }
  const [proxy = 0, direct = 0, assent = 0, all = 0] = taken.map((each) => Math.round(median(each)))
  return [proxy, direct, assent, all, assent - direct, all - direct]
}
