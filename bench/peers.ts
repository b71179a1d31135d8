import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { reportingCpu, type Server, startServer } from './processes.ts'

/** Other gateways, and the Node that they need. They are not among our dependencies: nothing else here uses them. */
const packages = ['node@22.23.3', 'mcp-proxy@6.7.9', 'supergateway@4.0.0']
const folder = fileURLToPath(new URL('../node_modules/.cache/assent-bench-peers', import.meta.url))
const bin = (name: string) => join(folder, 'node_modules', name)

/** Installs them once, from the registry that npm is set to. */
function install(): void {
  const done = join(folder, 'installed.json')
  if (existsSync(done)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
  console.log(`Installing ${packages.join(', ')} into ${folder}`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--engine-strict=false', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(done, JSON.stringify(packages))
}

/** mcp-proxy in front of a server on a pipe, as people run it. */
export function startMcpProxy(stdio: string): Promise<Server<number>> {
  return startPeer('mcp-proxy/dist/bin/mcp-proxy.mjs', (port) => {
    const own = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream']
    return [...own, '--', process.execPath, stdio]
  })
}

/** supergateway in front of a server on a pipe, with a session and a process for each client. */
export function startSupergateway(stdio: string): Promise<Server<number>> {
  return startPeer('supergateway/dist/index.js', (port) => {
    const own = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none']
    return ['--stdio', `${process.execPath} ${stdio}`, ...own]
  })
}

async function startPeer(program: string, argsFor: (port: number) => string[]): Promise<Server<number>> {
  install()
  const port = await freePort()
  const server = await startServer<'started'>(bin(program), argsFor(port), {
    cwd: folder,
    execPath: bin('node/bin/node'),
    execArgv: reportingCpu(`process.send('started')`),
  })
  server.child.stdout?.resume()
  server.child.stderr?.resume()
  while (!(await accepts(port))) await sleep(50)
  return { ...server, details: port }
}

/** A free port, because they do not report the port that they use. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
