import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Server, startServer } from './processes.ts'

const main = resolve(fileURLToPath(new URL('..', import.meta.url)), 'dist/cli/main.js')

/** Tells the port when the gateway is ready, and then what the process has used. */
const reporting = `
  const write = process.stdout.write
  process.stdout.write = function (chunk, ...more) {
    const [, port] = /MCP +http:.*:(\\d+)\\/mcp/.exec(chunk) ?? []
    if (port !== undefined) setImmediate(() => process.send(Number(port)))
    return write.call(this, chunk, ...more)
  }
  process.on('message', () => {
    global.gc()
    process.send(process.cpuUsage())
  })
  process.on('disconnect', () => process.exit())
  process.channel.unref()`

/**
 * `assent gateway` as people run it: the built command, all settings at their defaults but a policy whose last rule
 * decides and no limit for forms, metrics and log on. Its audit is in a file, or in `store`.
 */
export async function startGateway(upstream: number, store?: string): Promise<Server<number>> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const others = Array.from({ length: 20 }, (_, n) => ({ server: `other-${n}`, tool: 'write_*', decide: 'ask' }))
  const settings = {
    version: 1,
    // More forms a minute than a person could answer.
    limits: { asksPerMinute: 1_000_000 },
    ...(store !== undefined && { store }),
    servers: { up: { url: `http://127.0.0.1:${upstream}/mcp` } },
    policy: { default: 'ask', rules: [...others, { server: 'up', tool: ['echo', 'form', 'large'], decide: 'allow' }] },
  }
  writeFileSync(join(folder, 'assent.json'), JSON.stringify(settings))
  const key = execFileSync(process.execPath, [main, 'keys', 'make'], { encoding: 'utf8' }).trim()
  const env = { ...process.env, ...(store !== undefined && { ASSENT_KEYS: key }) }
  const execArgv = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(reporting)}`]
  const server = await startServer<number>(main, ['gateway', '--port', '0'], { cwd: folder, env, execArgv })
  server.child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  server.child.stdout?.resume()
  server.child.stderr?.resume()
  return server
}
