import { type ChildProcess, execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPostgres, startPostgres } from '../scripts/private-postgres.js'
import { startGateway } from './gateway-command.ts'
import type { GatewayLoad, Made, Target } from './gateway-load-process.ts'
import { median, table } from './measure.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import { type Server, startLoad, startServer, stopAll, withBuilt } from './processes.ts'

const rounds = 5
const connections = 16
/** After so many calls, what a call costs changes no more. */
const warm = 4_000
const revisions = ['2025-11-25', '2026-07-28'] as const
const works = [
  { name: 'an allowed call', tool: 'echo', calls: 800 },
  { name: 'the same, with a result of 64 KB', tool: 'large', calls: 160 },
] as const
const rates = [500, 1_500]
const programs = ['upstream', 'proxy', 'mcp-proxy', 'load'].map(
  (name) => new URL(`./gateway-${name}-process.ts`, import.meta.url),
)

type Work = Omit<GatewayLoad, 'target'>

interface Contender extends Server<Target> {
  readonly name: string
}

/**
 * `npm run bench -- gateway`: `assent gateway`, in its own process with its defaults, compared with a plain proxy: CPU time
 * of a call when cold and when warm, and the time that calls take at a given rate.
 */
export async function bench(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: fileURLToPath(new URL('..', import.meta.url)) })
  const binaries = findPostgres()
  const postgres = binaries === undefined ? undefined : await startPostgres(binaries)
  try {
    await withBuilt(programs, (folder) => measureAll(folder, postgres?.url))
  } finally {
    await postgres?.stop()
  }
}

async function measureAll(folder: string, postgres: string | undefined): Promise<void> {
  const load = await startLoad<GatewayLoad, Made>(join(folder, 'gateway-load-process.js'))
  const make = async (work: Work, target: Target) => (await load.make({ ...work, target })).count
  const children: ChildProcess[] = [load.child]
  console.log(
    `Node ${process.version}, ${rounds} interleaved rounds, medians. CPU time per call of the process in between,`,
  )
  console.log('in µs (of the server itself if it is called directly). mcp-proxy neither decides nor audits.\n')
  for (const revision of revisions) {
    const contenders = await start(folder, revision, postgres)
    children.push(...contenders.map(({ child }) => child))
    const names = contenders.map(({ name }) => name)
    const spending = { servers: contenders, make }
    const row = (name: string, { tool, calls }: Pick<Work, 'tool' | 'calls'>): Row<Work> => ({
      name,
      work: { revision, tool, calls, connections },
      costs: contenders.map(() => [] as number[]),
    })

    const cold = row('an allowed call, the first 800', { tool: 'echo', calls: 800 })
    await measureRounds([cold], { ...spending, rounds: 1, isCold: true })
    await measureRounds([row('', { tool: 'echo', calls: warm })], { ...spending, rounds: 1, isCold: true })
    const rows = works.map(({ name, ...work }) => row(name, work))
    await measureRounds(rows, { ...spending, rounds })
    // mcp-proxy, the last of them, passes no form on.
    const forming = contenders.filter(({ name }) => !name.startsWith('mcp-proxy'))
    const form = {
      ...row('a form: asked, answered, result', { tool: 'form', calls: 64 }),
      costs: forming.map(() => [] as number[]),
    }
    await measureRounds([form], { ...spending, servers: forming, rounds })
    console.log(`Load average ${loadavg()[0]?.toFixed(1)}:`)
    costTable([cold, ...rows], names)
    costTable(
      [form],
      forming.map(({ name }) => name),
    )
    await showTimes(load, contenders, revision)
  }
  await stopAll(children)
}

type Load = Awaited<ReturnType<typeof startLoad<GatewayLoad, Made>>>

async function showTimes(load: Load, contenders: readonly Contender[], revision: Work['revision']): Promise<void> {
  const taken = contenders.map(() => rates.map(() => [] as Made[]))
  for (let round = 0; round < rounds; round++) {
    for (const [of, perSecond] of rates.entries()) {
      for (const [index, { details: target }] of contenders.entries()) {
        const work = { revision, tool: 'echo', calls: perSecond, connections: 64, perSecond } as const
        taken[index]?.[of]?.push(await load.make({ ...work, target }))
      }
    }
  }
  const ms = (all: readonly Made[], kind: 'p50' | 'p99') => (median(all.map((one) => one[kind])) / 1_000).toFixed(1)
  console.log(`Time of a call in ms at so many calls a second, ${revision}, 64 connections, p50 / p99:`)
  table(
    ['', ...rates.map(String)],
    contenders.map(({ name }, index) => [
      name,
      ...(taken[index] ?? []).map((all) => `${ms(all, 'p50')} / ${ms(all, 'p99')}`),
    ]),
  )
}

async function start(folder: string, revision: string, postgres: string | undefined): Promise<Contender[]> {
  const run = (name: string, arg: string | number) =>
    startServer<number>(join(folder, `gateway-${name}-process.js`), [String(arg)])
  const upstream = await run('upstream', revision)
  const gateway = await startGateway(upstream.details)
  const at = (name: string, server: Server<number>, path = '/mcp', prefix = ''): Contender => ({
    ...server,
    name,
    details: { port: server.details, path, prefix },
  })
  return [
    at('bare proxy', await run('proxy', upstream.details)),
    at('SDK server', upstream),
    at('/mcp/{server}', gateway, '/mcp/up'),
    at('/mcp', gateway, '/mcp', 'up__'),
    ...(postgres === undefined
      ? []
      : [at('/mcp, PostgreSQL', await startGateway(upstream.details, await database(postgres)), '/mcp', 'up__')]),
    ...(revision === '2026-07-28' ? [] : [at('mcp-proxy 5.12', await run('mcp-proxy', upstream.details))]),
  ]
}

/** A database of its own for each gateway. */
async function database(server: string): Promise<string> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(server)
  await client.connect()
  const name = `bench_${process.pid}_${performance.now().toFixed()}`
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: name }).href
}
