import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { table } from '../measure.ts'
import { startServer, stopAll, withBuilt } from '../processes.ts'
import { askCall, openSession, type Revision } from './hold.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = resolve(root, 'dist/cli/main.js')
const upstream = new URL('../gateway-upstream-process.ts', import.meta.url)
const many = Number(process.argv[3] ?? 800)
const warm = 100

/** Tells the port when the gateway is ready, and then how many bytes are in use after everything unused was collected. */
const reporting = `
  import { writeHeapSnapshot } from 'node:v8'
  const write = process.stdout.write
  process.stdout.write = function (chunk, ...more) {
    const [, port] = /MCP +http:.*:(\\d+)\\/mcp/.exec(chunk) ?? []
    if (port !== undefined) setImmediate(() => process.send(Number(port)))
    return write.call(this, chunk, ...more)
  }
  process.on('message', async (name) => {
    for (let n = 0; n < 4; n++) {
      global.gc()
      // What a finalizer holds is let go by a task of its own.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const { heapUsed, external } = process.memoryUsage()
    process.send(heapUsed + external)
    if (process.env.BENCH_SNAPSHOTS) writeHeapSnapshot(process.env.BENCH_SNAPSHOTS + '/' + name + '.heapsnapshot')
  })
  process.on('disconnect', () => process.exit())
  process.channel.unref()`

/**
 * `npm run bench -- memory`: what an idle session and an open question take in the memory of `assent gateway`.
 * `BENCH_SNAPSHOTS=<folder>` writes a heap snapshot for each row.
 */
export async function bench(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  await withBuilt([upstream], async (built) => {
    const program = join(built, 'gateway-upstream-process.js')
    const rows: (string | number)[][] = []
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const server = await startServer<number>(program, [revision])
      rows.push(...(await measured(server.details, revision)))
      await stopAll([server.child])
    }
    console.log(`Node ${process.version}, ${many} of each, the heap and external memory after garbage was collected.\n`)
    table(['', 'client and server', 'KB each'], rows)
  })
}

async function measured(port: number, revision: Revision): Promise<(string | number)[][]> {
  const gateway = await startGateway(port)
  const place = { port: gateway.details, path: '/mcp', revision }
  const names: string[] = []
  const kilobytes: number[] = []

  async function row(name: string, make: (n: number) => Promise<unknown>): Promise<void> {
    // What is loaded and compiled by the first ones is no part of each.
    await inBatches(0, warm, make)
    const before = await gateway.used(`${name} ${revision} before`)
    await inBatches(warm, many, make)
    // Streams, writes to the store, and the servers of sessions, come to rest.
    await sleep(12_000)
    const after = await gateway.used(`${name} ${revision}`)
    names.push(name)
    kilobytes.push((after - before) / many / 1_000)
  }

  const held: { close(): void }[] = []
  if (revision === '2025-11-25') await row('idle session', () => openSession(place))
  const session = revision === '2025-11-25' ? await openSession(place) : undefined
  await row('open question, its call held', async (n) => held.push(await askCall(place, session, n)))
  for (const one of held) one.close()
  await stopAll([gateway.child])
  return names.map((name, index) => [name, revision, (kilobytes[index] ?? Number.NaN).toFixed(1)])
}

async function inBatches(from: number, count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  for (let at = from; at < from + count; at += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => make(at + n)))
}

async function startGateway(port: number) {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const settings = {
    version: 1,
    clocks: { hold: '30m', question: '30m' },
    limits: { asksPerMinute: 1_000_000, openPerRequester: 10_000, openPerParticipant: 10_000 },
    servers: { up: { url: `http://127.0.0.1:${port}/mcp` } },
    policy: { default: 'ask', rules: [{ server: 'up', tool: 'echo', decide: 'allow' }] },
  }
  writeFileSync(join(folder, 'assent.json'), JSON.stringify(settings))
  const execArgv = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(reporting)}`]
  const { child, details } = await startServer<number>(main, ['gateway', '--port', '0'], { cwd: folder, execArgv })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  child.stdout?.resume()
  child.stderr?.resume()
  return {
    child,
    details,
    async used(name: string): Promise<number> {
      const reply = once(child, 'message')
      child.send(name)
      const [bytes] = await reply
      return bytes as number
    },
  }
}
