import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Web } from '../../../src/web/index.ts'
import { type TestBrowser, testBrowser } from '../test-browser.ts'

/** A program that is running. */
export interface Running {
  /** Resolves when it has printed something that matches. */
  prints(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves when it has ended: its exit code, and all it printed. */
  ended(): Promise<{ readonly code: number | null; readonly printed: string }>
}

/** Starts a program in TypeScript, as its page says. It ends with the test. */
export function startProgram(program: string, args: readonly string[] = [], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], { env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let printed = ''
  const heard = new EventTarget()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
      heard.dispatchEvent(new Event('data'))
    })
  }
  return {
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(printed)
          if (found !== null) resolve(found)
        }
        heard.addEventListener('data', look)
        exit.then(() => reject(new Error(`It ended, and printed only: ${printed}`)))
        look()
      }),
    async ended() {
      const [code] = await exit
      return { code, printed }
    },
  }
}

/** A browser at a program that serves pages on this port. */
export function browserAt(port: string): TestBrowser {
  const web = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) } as unknown as Web
  return testBrowser({ web }, `http://127.0.0.1:${port}`)
}
