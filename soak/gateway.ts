import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { GatewayTold } from './gateway-process.ts'

export interface Memory {
  readonly rss: number
  readonly heapUsed: number
}

/** A gateway in a process of its own, which can be killed and started again at the same address and store. */
export interface SoakGateway {
  readonly url: URL
  /** Throws when it ended by itself, with what it said last. */
  check(): void
  memory(): Promise<Memory>
  kill(): Promise<void>
  start(): Promise<void>
}

const program = fileURLToPath(new URL('./gateway-process.ts', import.meta.url))

export async function startGateway(told: Omit<GatewayTold, 'port'>): Promise<SoakGateway> {
  let child: ChildProcess
  let port = 0
  let said = ''
  let isKilled = false
  let gone: Promise<unknown>

  async function start(): Promise<void> {
    isKilled = false
    said = ''
    child = fork(program, [JSON.stringify({ ...told, port })], {
      execArgv: ['--import', 'tsx', '--expose-gc', '--unhandled-rejections=strict'],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    })
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000)
    })
    gone = once(child, 'exit')
    const ended = gone.then(() => {
      throw new Error(`The gateway did not start:\n${said}`)
    })
    const [{ port: taken }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
    port = taken
    ended.catch(() => {})
  }

  function check(): void {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded && !isKilled) throw new Error(`The gateway ended by itself:\n${said}`)
  }

  await start()
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    check,
    async memory() {
      check()
      const heard = once(child, 'message')
      child.send('memory')
      return ((await Promise.race([heard, gone.then(check)])) as [Memory])[0]
    },
    async kill() {
      check()
      isKilled = true
      child.kill('SIGKILL')
      await gone
    },
    start,
  }
}
