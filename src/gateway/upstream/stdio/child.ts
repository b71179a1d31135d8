import { type ChildProcess, spawn } from 'node:child_process'
import type { Lease } from '../../../base/limits/budget.ts'
import type { ReserveBytes } from '../wire/received-bytes.ts'
import { LineReader } from './lines.ts'

/** The program to start. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly cwd: string | undefined
}

/** How much a process may write before it ends a line. */
export interface OutputLimit {
  readonly bytes: number
  readonly reserve: ReserveBytes
}

/** Receives the output and the end of a process. */
export interface ChildListener {
  /** A line on stdout. */
  line(text: string): void
  /** A line on stdout over the limit; only its beginning and its end were kept. */
  tooLong(head: string, tail: string): void
  /** A line on stdout that is several times as long as the limit and has not ended. */
  endless(): void
  stderrLine(line: string): void
  /** The process has exited or could not be started. Called once. */
  exited(detail: string): void
}

/** So much may be written to a process before it reads it. More needs a reservation. */
const unreservedBytes = 65_536
const maxStderrLine = 500

// Process groups to kill if the gateway exits before it has ended them.
const liveGroups = new Set<number>()
let isWatchingExit = false

/** A process and its descendants; messages are lines on stdin and stdout. */
export class Child {
  readonly #process: ChildProcess
  readonly #exited: Promise<void>
  readonly #reserve: ReserveBytes
  #hasExited = false
  /** The memory for what was written to the process and it has not read. */
  #unread: Lease | undefined

  constructor({ command, args, env, cwd }: Program, { bytes, reserve }: OutputLimit, listener: ChildListener) {
    // In a process group of its own: its descendants end with it, and Ctrl-C in our terminal reaches only the gateway.
    this.#process = spawn(command, [...args], { env, cwd, stdio: 'pipe', detached: !isWindows, windowsHide: true })
    this.#reserve = reserve
    const { pid, stdin, stdout, stderr } = this.#process
    if (pid !== undefined) this.#watchGroup(pid)

    const lines = new LineReader(bytes, listener, reserve)
    stdout?.on('data', (chunk: Buffer) => lines.read(chunk))
    stdout?.on('close', () => lines.close())
    const stderrListener = {
      line: (text: string) => listener.stderrLine(text.slice(0, maxStderrLine)),
      tooLong: (head: string) => listener.stderrLine(head.slice(0, maxStderrLine)),
    }
    const stderrLines = new LineReader(64 * maxStderrLine, stderrListener, reserve)
    stderr?.on('data', (chunk: Buffer) => stderrLines.read(chunk))
    // The last line may have no end, and may be the one that says why the process ended.
    stderr?.on('end', () => stderrLines.read(Buffer.from('\n')))
    // A broken pipe is reported by the exit of the process.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {})
    for (const event of ['drain', 'close']) stdin?.on(event, () => this.#hasRead())

    this.#exited = new Promise((resolve) => {
      const onExit = (detail: string) => {
        if (this.#hasExited) return
        this.#hasExited = true
        if (pid !== undefined) liveGroups.delete(pid)
        resolve()
        listener.exited(detail)
      }
      this.#process.on('error', (error) => {
        if (pid === undefined) onExit(`could not be started: ${error.message}`)
      })
      this.#process.on('exit', (code, signal) => {
        const detail = signal === null ? `ended with code ${code}` : `ended by ${signal}`
        this.#kill('SIGKILL')
        // 'close' comes after the last output was read, but never if a descendant keeps the pipe open.
        this.#process.on('close', () => onExit(detail))
        setTimeout(() => onExit(detail), 500).unref()
      })
    })
  }

  /** False if nothing was written, because the process does not read its input or has exited. */
  write(message: string | Buffer): boolean {
    const { stdin } = this.#process
    if (this.#hasExited || stdin === null || !stdin.writable) return false
    const unread = stdin.writableLength + message.length
    if (unread > unreservedBytes && !this.#hasRoom(unread)) return false
    stdin.write(message)
    stdin.write('\n')
    return true
  }

  /** Ends the process and its descendants: closes its input, then sends SIGTERM, then SIGKILL. */
  async end(graceMs: number): Promise<void> {
    this.#process.stdin?.end()
    if (await this.#exitsWithin(graceMs)) return
    this.#kill('SIGTERM')
    if (await this.#exitsWithin(graceMs)) return
    this.#kill('SIGKILL')
    await this.#exited
  }

  /** Ends the process and its descendants at once. What it still writes is not read. */
  kill(): void {
    this.#process.stdout?.destroy()
    this.#kill('SIGKILL')
  }

  #hasRoom(unread: number): boolean {
    if (this.#unread !== undefined) return this.#unread.growTo(unread)
    this.#unread = this.#reserve(unread)
    return this.#unread !== undefined
  }

  #hasRead(): void {
    this.#unread?.release()
    this.#unread = undefined
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms)
    })
    const hasExited = await Promise.race([this.#exited.then(() => true), late])
    clearTimeout(timer)
    return hasExited
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#process
    if (pid === undefined) return
    if (isWindows) this.#process.kill(signal)
    else killGroup(pid, signal)
  }

  #watchGroup(pid: number): void {
    liveGroups.add(pid)
    if (isWatchingExit) return
    isWatchingExit = true
    process.on('exit', () => {
      for (const group of liveGroups) killGroup(group, 'SIGKILL')
    })
  }
}

const isWindows = process.platform === 'win32'

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended already.
  }
}
