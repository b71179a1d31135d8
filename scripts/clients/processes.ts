import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program to run: its command line, where, and with which environment. Nothing of ours is inherited but `PATH`. */
export interface Program {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Run {
  readonly output: string
  readonly code: number | null
  readonly isLate: boolean
}

/** The environment variable by which a process is known as started by this run, also when it has left its parent. */
const mark = 'ASSENT_CLIENTS_RUN'

/** The processes that a run of the clients starts. All of them end with it. */
export class Processes {
  readonly #id = `${process.pid}-${Date.now()}`
  readonly #running = new Set<ChildProcess>()

  /** The environment of every program: what it was given, and the mark. */
  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    return { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env, [mark]: this.#id }
  }

  /** Starts a program in a process group of its own, so that its children end with it. */
  start({ command: [program = '', ...args], cwd, env }: Program): ChildProcess {
    const child = spawn(program, args, {
      cwd,
      env: this.environment(env),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }

  /** Runs a program to its end, and for `seconds` at most. */
  async run(program: Program, seconds: number): Promise<Run> {
    const child = this.start(program)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    const timer = new AbortController()
    // Not its "close": a daemon that it leaves behind may keep its output open.
    const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, isLate: false }))
    const late = sleep(seconds * 1_000, { code: null, isLate: true }, { signal: timer.signal, ref: false })
    const end = await Promise.race([ended, late])
    timer.abort()
    await sleep(200)
    late.catch(() => {})
    endGroup(child)
    return { output, ...end }
  }

  /** Ends what still runs, and what has left its group: Codex leaves a daemon behind. Returns the names of the latter. */
  async endAll(): Promise<string[]> {
    for (const child of this.#running) endGroup(child)
    await sleep(500)
    const left = await this.#marked()
    for (const { pid } of left) signal(pid, 'SIGTERM')
    if (left.length > 0) await sleep(1_000)
    for (const { pid } of await this.#marked()) signal(pid, 'SIGKILL')
    return left.map(({ name }) => name)
  }

  async #marked(): Promise<{ pid: number; name: string }[]> {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
    const read = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
    const found = await Promise.all(
      pids.map(async (pid) => ({ pid, env: await read(pid, 'environ'), name: (await read(pid, 'comm')).trim() })),
    )
    return found.filter(({ env }) => env.split('\0').includes(`${mark}=${this.#id}`))
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) signal(-child.pid, 'SIGTERM')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
