import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { GatewayProcessOptions } from './programs/gateway-process.ts'
import type { InstanceProcessOptions } from './programs/instance-process.ts'
import type { SharedGatewayOptions } from './programs/shared-gateway-process.ts'

export interface Memory {
  readonly rss: number
  readonly heapUsed: number
  /** The CPU time that the process has used so far, in microseconds. Only of an instance. */
  readonly cpuUs?: number
}

/** A gateway in a separate process, which can be killed and restarted with the same address and store. */
export interface SoakGateway {
  readonly url: URL
  /** Throws if the process has exited by itself, with its last output. */
  check(): void
  memory(): Promise<Memory>
  kill(): Promise<void>
  start(): Promise<void>
}

const programOf = (name: string) => fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url))

/** A gateway with small limits, for broken messages and kills. */
export function startGateway(options: Omit<GatewayProcessOptions, 'port'>): Promise<SoakGateway> {
  return startProcess(programOf('gateway-process'), options, ['--expose-gc'])
}

/** A gateway with its default limits and a heap of so many megabytes. */
export function startSharedGateway(options: Omit<SharedGatewayOptions, 'port'>, heap: number): Promise<SoakGateway> {
  return startProcess(programOf('shared-gateway-process'), options, [`--max-old-space-size=${heap}`])
}

/** One of several gateways on one store, on a machine whose clock is wrong by `skewMs`. */
export function startInstance(options: Omit<InstanceProcessOptions, 'port'>, skewMs: number): Promise<SoakGateway> {
  const env = { ASSENT_TEST_SKEW: String(skewMs) }
  return startProcess(programOf('instance-process'), options, ['--import', skewedDate], env)
}

const skewedDate = new URL('../test/support/processes/skewed-date.js', import.meta.url).href

async function startProcess(
  program: string,
  options: object,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SoakGateway> {
  let child: ChildProcess
  let port = 0
  let output = ''
  let isKilled = false
  let exited: Promise<unknown>

  async function start(): Promise<void> {
    isKilled = false
    output = ''
    child = fork(program, [JSON.stringify({ ...options, port })], {
      execArgv: ['--import', 'tsx', ...flags, '--unhandled-rejections=strict'],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: { ...process.env, ...env },
    })
    child.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000)
    })
    exited = once(child, 'exit')
    const ended = exited.then(() => {
      throw new Error(`The gateway did not start:\n${output}`)
    })
    const [{ port: taken }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
    port = taken
    ended.catch(() => {})
  }

  function check(): void {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded && !isKilled) throw new Error(`The gateway exited by itself:\n${output}`)
  }

  await start()
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    check,
    async memory() {
      check()
      const reply = once(child, 'message')
      child.send('memory')
      return ((await Promise.race([reply, exited.then(check)])) as [Memory])[0]
    },
    async kill() {
      check()
      isKilled = true
      child.kill('SIGKILL')
      await exited
    },
    start,
  }
}
