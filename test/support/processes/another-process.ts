import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Assent } from '../../../src/index.ts'
import { testKeys } from '../assents.ts'
import { compiled } from '../programs.ts'

type Method = 'ask' | 'answer' | 'wait' | 'get' | 'find' | 'verifyAudit'

/** An Assent in a process of its own, which can be asked to do things and can be killed. */
export interface AnotherProcess {
  call<Name extends Method>(method: Name, ...args: Parameters<Assent[Name]>): ReturnType<Assent[Name]>
  /** SIGKILL: it has no time to do anything. */
  kill(): Promise<void>
}

/** Starts it on a store; it ends with the test. */
export async function anotherProcess(store: string): Promise<AnotherProcess> {
  const worker = compiled(new URL('./assent-process.ts', import.meta.url))
  const child = fork(worker, [store], {
    execArgv: [],
    env: { ...process.env, ASSENT_KEYS: testKeys },
    serialization: 'advanced',
  })
  onTestFinished(() => killed(child))
  await once(child, 'message')

  const pending = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  child.on('message', ({ id, result, error }: { id: number; result: never; error?: string }) => {
    const call = pending.get(id)
    pending.delete(id)
    if (error === undefined) call?.resolve(result)
    else call?.reject(new Error(error))
  })
  let calls = 0
  return {
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++calls
        pending.set(id, { resolve, reject })
        // One that was killed cannot be sent anything.
        child.send({ id, method, args }, (error) => error && reject(error))
      }) as never,
    kill: () => killed(child),
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
