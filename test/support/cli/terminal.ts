import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** A program in a real pseudo-terminal, and a person at it. */
export interface InTerminal {
  type(keys: string): void
  /** Waits until this is on the screen, after whatever was waited for before. */
  see(what: string): Promise<void>
  /** Everything that came to the terminal, byte for byte. */
  shown(): string
  ended(): Promise<number>
}

export interface TerminalWindow {
  readonly env?: Record<string, string>
  readonly columns?: number
}

/** Runs `assent …` in a terminal; it ends with the test. */
export function assentInTerminal(args: readonly string[], { env = {}, columns = 80 }: TerminalWindow = {}): InTerminal {
  const program = [process.execPath, main, ...args].map(quoted).join(' ')
  const child = spawn('/usr/bin/script', ['-qfec', `stty cols ${columns} rows 40; exec ${program}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ASSENT_KEYS: '', NO_COLOR: '', TERM: 'xterm', SHELL: '/bin/sh', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  let seen = 0
  let look = () => {}
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    look()
  })
  const gone = once(child, 'close')
  return {
    type: (keys) => void child.stdin.write(keys),
    shown: () => shown,
    see: (what) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(what, seen)
          if (at < 0) return
          seen = at + what.length
          look = () => {}
          resolve()
        }
        look()
        gone.then(() => reject(new Error(`It ended without showing ${JSON.stringify(what)}:\n${shown}`)))
      }),
    ended: async () => (await gone)[0],
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
