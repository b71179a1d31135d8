import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { testKeys } from '../support/assents.ts'
import { compiled } from '../support/programs.ts'

/** The asking server in a process of its own. */
export interface ServerProcess {
  readonly url: URL
  /** What its tools did. */
  deeds(): Promise<string[]>
  /** SIGKILL: it has no time to do anything. */
  kill(): Promise<void>
}

/** Starts it on a store; it ends with the test. */
export async function serverProcess(store: string): Promise<ServerProcess> {
  const child = fork(compiled(new URL('./asking-server-process.ts', import.meta.url)), [store], {
    execArgv: [],
    env: { ...process.env, ASSENT_KEYS: testKeys },
  })
  onTestFinished(() => killed(child))
  const [url] = (await once(child, 'message')) as [string]
  return {
    url: new URL(url),
    async deeds() {
      const told = once(child, 'message')
      child.send('deeds')
      return (await told)[0] as string[]
    },
    kill: () => killed(child),
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
