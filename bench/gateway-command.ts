import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reportingCpu, type Server, startServer } from './processes.ts'

const main = resolve(fileURLToPath(new URL('..', import.meta.url)), 'dist/cli/main.js')

/** Tells the port when the gateway is ready. */
const reporting = `
  const write = process.stdout.write
  process.stdout.write = function (chunk, ...more) {
    const [, port] = /MCP +http:.*:(\\d+)\\/mcp/.exec(chunk) ?? []
    if (port !== undefined) setImmediate(() => process.send(Number(port)))
    return write.call(this, chunk, ...more)
  }`

/** What differs from the defaults. */
interface Settings {
  /** Left out: SQLite. */
  readonly store?: string
  readonly auth?: object
  readonly telemetry?: object
}

/**
 * `assent gateway` as people run it: the built command, all settings at their defaults but a policy whose last rule
 * decides and no limit for forms, metrics and log on.
 */
export async function startGateway(
  upstream: number,
  { store, auth, telemetry }: Settings = {},
): Promise<Server<number>> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const others = Array.from({ length: 20 }, (_, n) => ({ server: `other-${n}`, tool: 'write_*', decide: 'ask' }))
  const settings = {
    version: 1,
    // More forms a minute than a person could answer.
    limits: { asksPerMinute: 1_000_000 },
    ...(store !== undefined && { store }),
    ...(auth !== undefined && { auth }),
    ...(telemetry !== undefined && { telemetry }),
    servers: { up: { url: `http://127.0.0.1:${upstream}/mcp` } },
    policy: { default: 'ask', rules: [...others, { server: 'up', tool: ['echo', 'form', 'large'], decide: 'allow' }] },
  }
  writeFileSync(join(folder, 'assent.json'), JSON.stringify(settings))
  const key = execFileSync(process.execPath, [main, 'keys', 'make'], { encoding: 'utf8' }).trim()
  const env = { ...process.env, ...((store ?? auth) !== undefined && { ASSENT_KEYS: key }) }
  const execArgv = reportingCpu(reporting)
  const server = await startServer<number>(main, ['gateway', '--port', '0'], { cwd: folder, env, execArgv })
  server.child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  server.child.stdout?.resume()
  server.child.stderr?.resume()
  return server
}
