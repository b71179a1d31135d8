/**
 * Keeps one private PostgreSQL for as long as standard input stays open. When whoever started it ends, however
 * it ends, the pipe closes: the server stops and its folder goes.
 *
 *   node scripts/keep-postgres.js <folder with initdb and postgres>
 *
 * It says `{"url":…}` on standard output when the server takes connections, or `{"error":…}`. A line `restart <ms>`
 * on standard input takes the server down as a crash would, and up again after that many milliseconds; then it says
 * the same once more.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const binaries = process.argv[2] ?? ''
const home = mkdtempSync(join(tmpdir(), 'assent-postgres-'))
const data = join(home, 'data')
const password = randomBytes(16).toString('hex')
const account = unprivileged()

/** @type {import('node:child_process').ChildProcess | undefined} */
let running
let leaving = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave)
createInterface({ input: process.stdin }).on('line', restart).on('close', leave)
process.stdout.on('error', leave)

const port = await freePort()
const url = `postgres://assent:${password}@127.0.0.1:${port}/postgres`
await tell(async () => {
  await initialise()
  await serve()
})

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  const idOf = (/** @type {string[]} */ ...args) =>
    Number(execFileSync('id', args, { stdio: ['ignore', 'pipe', 'ignore'] }))
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) }
    } catch {}
  }
  return {}
}

async function initialise() {
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, password)
  if (account.uid !== undefined) for (const path of [home, passwordFile]) chownSync(path, account.uid, account.gid)

  const access = ['-U', 'assent', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  const initdb = launch('initdb', ['-D', data, ...access, '--encoding', 'UTF8', '--locale', 'C', '--no-sync'])
  const [code] = await once(initdb.process, 'exit')
  if (code !== 0) throw new Error(`initdb failed:\n${initdb.log()}`)
}

/** Ends when the server takes connections. */
async function serve() {
  if (leaving) return
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    // Only a power cut needs these two. synchronous_commit stays on: a commit must outlive a crash of the server.
    fsync: 'off',
    full_page_writes: 'off',
    lc_messages: 'C',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = launch('postgres', ['-D', data, ...flags])
  const ended = once(server.process, 'exit').then(() => {
    if (!leaving) throw new Error(`PostgreSQL ended:\n${server.log()}`)
  })
  const ready = new Promise((resolve) => {
    server.process.stderr?.on('data', () => server.log().includes('ready to accept connections') && resolve(undefined))
  })
  await Promise.race([ready, ended])
  ended.catch(() => {})
}

async function restart(/** @type {string} */ line) {
  const downFor = Number(line.split(' ')[1])
  await tell(async () => {
    await end()
    await sleep(downFor)
    await serve()
  })
}

async function leave() {
  if (leaving) return
  leaving = true
  await end()
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  process.exit()
}

/** SIGQUIT is PostgreSQL's immediate stop: no goodbyes, and the next start recovers from its log. */
async function end() {
  if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return
  const exit = once(running, 'exit')
  running.kill('SIGQUIT')
  await exit
}

/** @param {string} program @param {string[]} args */
function launch(program, args) {
  const child = spawn(join(binaries, program), args, { ...account, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-4_000)
  })
  child.on('error', (error) => {
    log += error.message
  })
  running = child
  return { process: child, log: () => log }
}

/** @param {() => Promise<void>} deed */
async function tell(deed) {
  try {
    await deed()
    if (!leaving) process.stdout.write(`${JSON.stringify({ url })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
    await leave()
  }
}
