import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { startCollector } from './gateway-collector.ts'
import { startGateway } from './gateway-command.ts'
import type { Target } from './gateway-load-process.ts'
import { startLogin } from './gateway-login.ts'
import { startMcpProxy, startSupergateway } from './peers.ts'
import { type Server, startServer } from './processes.ts'

/** Something between a client and a server, or the server itself. */
export interface Contender extends Server<Target> {
  readonly name: string
  /** Whether it passes on what a server asks in the middle of a call. */
  readonly passesForms: boolean
  /** Whether it starts a process for each client: too many of those would measure the machine. */
  readonly startsProcesses?: boolean
  /** What was started for it. */
  readonly children: readonly ChildProcess[]
}

/**
 * The bare proxy, and whatever else is in `names`. Each address of the gateway has a process of its own, so that one does
 * not warm the other up.
 */
export async function startContenders(
  folder: string,
  revision: string,
  postgres: string | undefined,
  names: ReadonlySet<string> | undefined,
): Promise<Contender[]> {
  const run = (name: string, arg: string | number) =>
    startServer<number>(join(folder, `gateway-${name}-process.js`), [String(arg)])
  const upstream = await run('upstream', revision)
  const port = upstream.details
  const bare = await run('proxy', port)
  const found: Contender[] = [
    { ...at(bare, '/mcp'), name: 'bare proxy', passesForms: true, children: [bare.child, upstream.child] },
  ]
  const add = async (name: string, start: () => Promise<Server<Target>>, passesForms = true) => {
    if (names !== undefined && !names.has(name)) return
    const server = await start().catch((error: Error) => console.log(`${name} is not measured: ${error.message}\n`))
    if (server === undefined) return
    const startsProcesses = name.startsWith('supergateway')
    found.push({ ...server, name, passesForms, startsProcesses, children: [server.child] })
  }
  const stdio = join(folder, 'gateway-stdio-upstream-process.js')
  await add('SDK server', async () => at(upstream, '/mcp'))
  await add('/mcp/{server}', async () => at(await startGateway(port), '/mcp/up'))
  await add('/mcp', async () => at(await startGateway(port), '/mcp', 'up__'))
  await add('/mcp, login', async () => {
    const login = await startLogin()
    const server = await startGateway(port, { auth: login.auth })
    server.child.once('exit', login.stop)
    return at(server, '/mcp', 'up__', login.token)
  })
  await add('/mcp, telemetry', async () => {
    const collector = await startCollector()
    const server = await startGateway(port, { telemetry: { endpoint: collector.endpoint } })
    server.child.once('exit', collector.stop)
    return at(server, '/mcp', 'up__')
  })
  await add('/mcp, PostgreSQL', async () =>
    at(await startGateway(port, { store: await database(postgres) }), '/mcp', 'up__'),
  )
  await add('mcp-proxy 6', async () => at(await startMcpProxy(stdio), '/mcp'), false)
  // For a client without a session it starts a server for each request, which takes a second.
  if (revision !== '2026-07-28')
    await add('supergateway 4', async () => at(await startSupergateway(stdio), '/mcp'), false)
  return found
}

function at(server: Server<number>, path: string, prefix = '', token?: string): Server<Target> {
  const { child, details: port, used } = server
  return { child, used, details: { port, path, prefix, ...(token !== undefined && { token }) } }
}

/** A database of its own for each gateway. */
async function database(server: string | undefined): Promise<string> {
  if (server === undefined) throw new Error('PostgreSQL is not installed.')
  const { default: pg } = await import('pg')
  const client = new pg.Client(server)
  await client.connect()
  const name = `bench_${process.pid}_${performance.now().toFixed()}`
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: name }).href
}
