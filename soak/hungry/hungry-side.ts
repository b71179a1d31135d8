import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Memory-hungry clients and an upstream of their kind, in a process of their own. */
export interface HungrySide {
  /** Where the upstream is. */
  readonly upstream: string
  /** One round of the clients. Resolves with how their requests ended, when all have. */
  round(url: URL, round: number): Promise<ReadonlyMap<string, number>>
  close(): void
}

const program = fileURLToPath(new URL('../programs/hungry-process.ts', import.meta.url))

export async function startHungrySide(): Promise<HungrySide> {
  const child = fork(program, { execArgv: ['--import', 'tsx'] })
  const exited = once(child, 'exit').then(() => {
    throw new Error('The process of the hungry clients exited.')
  })
  exited.catch(() => {})
  const reply = async () => ((await Promise.race([once(child, 'message'), exited])) as [unknown])[0]
  return {
    upstream: (await reply()) as string,
    async round(url, round) {
      const ended = reply()
      child.send({ url: url.href, round })
      return new Map((await ended) as [string, number][])
    },
    close: () => void child.kill('SIGKILL'),
  }
}
