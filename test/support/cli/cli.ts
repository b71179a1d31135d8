import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** How a command ended. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `assent …` to its end. */
export function assent(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ASSENT_KEYS: '', NO_COLOR: '1', ...env }, cwd }
    execFile(process.execPath, [main, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** Starts `assent …` and waits until it has said `ready`; it ends with the test. */
export async function startAssent(
  args: readonly string[],
  ready: RegExp,
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ child: ChildProcess; said(): string }> {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ASSENT_KEYS: '', ...env }, cwd })
  let said = ''
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      if (ready.test(said)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(`It ended before it was ready: ${said}`)))
  })
  return { child, said: () => said }
}

/** Sends a signal, and gives back the exit code. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const gone = once(child, 'exit')
  child.kill(signal)
  const [code] = await gone
  return code
}
