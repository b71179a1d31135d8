import { type ChildProcess, spawn } from 'node:child_process'
import { LineReader } from './lines.ts'

/** The program to start. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly cwd: string | undefined
}

/** Who wants to know what a process does. */
export interface ChildListener {
  line(text: string): void
  tooLong(head: string, tail: string): void
  complained(line: string): void
  /** It has ended, or could not be started; comes once. */
  exited(detail: string): void
}

/** What may wait to be read by a process before nothing more is written to it. */
const mostUnread = 16 * 1024 * 1024
const longestComplaint = 500

// Groups that must not outlive us, should we have no time for a farewell.
const groups = new Set<number>()
let isWatchingExit = false

/** A process and its descendants, spoken to by lines. */
export class Child {
  readonly #process: ChildProcess
  readonly #gone: Promise<void>
  #isGone = false

  constructor({ command, args, env, cwd }: Program, limit: number, listener: ChildListener) {
    // In a group of its own: what it starts ends with it, and a Ctrl-C in our terminal does not go past us.
    this.#process = spawn(command, [...args], { env, cwd, stdio: 'pipe', detached: !isWindows, windowsHide: true })
    const { pid, stdin, stdout, stderr } = this.#process
    if (pid !== undefined) this.#watchGroup(pid)

    const lines = new LineReader(limit, listener)
    stdout?.on('data', (chunk: Buffer) => lines.read(chunk))
    const complaints = new LineReader(64 * longestComplaint, {
      line: (text) => listener.complained(text.slice(0, longestComplaint)),
      tooLong: (head) => listener.complained(head.slice(0, longestComplaint)),
    })
    stderr?.on('data', (chunk: Buffer) => complaints.read(chunk))
    // A pipe that breaks is told by the end of the process.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {})

    this.#gone = new Promise((resolve) => {
      const over = (detail: string) => {
        if (this.#isGone) return
        this.#isGone = true
        if (pid !== undefined) groups.delete(pid)
        resolve()
        listener.exited(detail)
      }
      this.#process.on('error', (error) => {
        if (pid === undefined) over(`could not be started: ${error.message}`)
      })
      this.#process.on('exit', (code, signal) => {
        const detail = signal === null ? `ended with code ${code}` : `ended by ${signal}`
        this.#kill('SIGKILL')
        // What it wrote last is still to be read; what it started may hold the pipe open.
        this.#process.on('close', () => over(detail))
        setTimeout(() => over(detail), 500).unref()
      })
    })
  }

  /** False: it does not read what it is sent, or is gone, and this was not written. */
  write(message: string | Buffer): boolean {
    const { stdin } = this.#process
    if (this.#isGone || stdin === null || !stdin.writable || stdin.writableLength > mostUnread) return false
    stdin.write(message)
    stdin.write('\n')
    return true
  }

  /** Ends it and all it started: by closing its input, then by asking, then by force. */
  async end(farewell: number): Promise<void> {
    this.#process.stdin?.end()
    if (await this.#isGoneWithin(farewell)) return
    this.#kill('SIGTERM')
    if (await this.#isGoneWithin(farewell)) return
    this.#kill('SIGKILL')
    await this.#gone
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms)
    })
    const isGone = await Promise.race([this.#gone.then(() => true), late])
    clearTimeout(timer)
    return isGone
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#process
    if (pid === undefined) return
    if (isWindows) this.#process.kill(signal)
    else killGroup(pid, signal)
  }

  #watchGroup(pid: number): void {
    groups.add(pid)
    if (isWatchingExit) return
    isWatchingExit = true
    process.on('exit', () => {
      for (const group of groups) killGroup(group, 'SIGKILL')
    })
  }
}

const isWindows = process.platform === 'win32'

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // None of it is left.
  }
}
