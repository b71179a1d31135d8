/**
 * Keeps one private Redis for as long as standard input stays open. When whoever started it ends, however it ends, the pipe
 * closes: the server stops and its folder goes.
 *
 *   node scripts/keep-redis.js <path of redis-server>
 *
 * It says `{"url":…}` on standard output when the server takes connections, or `{"error":…}`. A line `restart <ms>` on
 * standard input kills the server and starts it again after that many milliseconds; then it says the same once more.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const program = process.argv[2] ?? ''
const home = mkdtempSync(join(tmpdir(), 'assent-redis-'))
const settingsFile = join(home, 'redis.conf')
const password = randomBytes(16).toString('hex')

/** @type {import('node:child_process').ChildProcess | undefined} */
let running
let leaving = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, leave)
createInterface({ input: process.stdin }).on('line', restart).on('close', leave)
process.stdout.on('error', leave)

const port = await freePort()
const url = `redis://:${password}@127.0.0.1:${port}/0`
const settings = {
  bind: '127.0.0.1',
  port,
  requirepass: password,
  dir: home,
  appendonly: 'yes',
  // A write reaches the operating system before it is confirmed, and so outlives a crash of the server. Only a power cut
  // needs more.
  appendfsync: 'no',
  save: '""',
}
const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
// In a file and not among the arguments, where everybody on the machine could read the password.
writeFileSync(settingsFile, lines.join(''), { mode: 0o600 })
await tell(serve)

/** Ends when the server takes connections. */
async function serve() {
  if (leaving) return
  const server = spawn(program, [settingsFile], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] })
  running = server
  let log = ''
  const ready = new Promise((resolve) => {
    server.stdout.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-4_000)
      if (log.includes('eady to accept connections')) resolve(undefined)
    })
  })
  const failed = once(server, 'error').then(([error]) => {
    throw error
  })
  const ended = once(server, 'exit').then(() => {
    if (!leaving) throw new Error(`Redis ended:\n${log}`)
  })
  await Promise.race([ready, ended, failed])
  for (const later of [ended, failed]) later.catch(() => {})
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

async function end() {
  if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return
  const exit = once(running, 'exit')
  running.kill('SIGKILL')
  await exit
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
