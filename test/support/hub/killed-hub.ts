import { type ChildProcess, spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type JoinedSpace, joinSpace } from 'assent/hub'

/** A hub process that can be killed and started again on the same port and store. */
export interface KilledHub {
  readonly url: string
  /** Kills it with SIGKILL, and starts it again. Resolves when it listens. */
  killAndRestart(): Promise<void>
  /** Kills it with SIGKILL. */
  stop(): void
  /** Starts it again after that. */
  restart(): Promise<void>
}

/** Starts it on the store at this address. Stores that are no file need the keys that all share. */
export async function startKilledHub(store: string, agents: number, keys?: string): Promise<KilledHub> {
  const port = await freePort()
  let child = await start()

  function start(): Promise<ChildProcess> {
    const args = ['--import', 'tsx', 'test/hub/hub-process.ts', store, String(port), String(agents)]
    const env = { ...process.env, ...(keys !== undefined && { ASSENT_KEYS: keys }) }
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
    return new Promise((resolve, reject) => {
      started.stdout.once('data', () => resolve(started))
      started.once('exit', (code) => reject(new Error(`The hub ended with ${code}.`)))
    })
  }

  return {
    url: `ws://127.0.0.1:${port}/hub/ops`,
    async killAndRestart() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      child = await start()
    },
    stop: () => child.kill('SIGKILL'),
    async restart() {
      child = await start()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** What came of many calls while the hub was killed. */
export interface Approvals {
  /** How often each call ran. */
  readonly runs: ReadonlyMap<number, number>
  readonly ends: readonly PromiseSettledResult<string>[]
}

/** Lets agents call each other, each call approved by a person in the space, while the hub is killed again and again. */
export async function approveWhileKilling(
  hub: KilledHub,
  agents: number,
  calls: number,
  kills: number,
): Promise<Approvals> {
  const runs = new Map<number, number>()
  const user = await joinSpace({ url: hub.url, token: 'token-of-user' })
  user.onElicitation(() => ({ action: 'accept', content: { approve: true } }))
  const spaces = await Promise.all(
    Array.from({ length: agents }, (_, index) => joinSpace({ url: hub.url, token: `token-${index}` })),
  )
  await Promise.all(spaces.map((space) => space.serveTools(toolsCounting(runs))))
  let ended = 0
  let wake = () => {}
  const running = Array.from({ length: calls }, async (_, n) => {
    const caller = spaces[n % agents] as JoinedSpace
    // Never to itself.
    const callee = `agent-${(n + 1 + (n % (agents - 1))) % agents}`
    try {
      const { content } = await caller.call(callee, 'work', { n })
      return (content[0] as { text: string }).text
    } finally {
      ended += 1
      wake()
    }
  })
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = Math.floor((calls * kill) / kills)
    while (ended < enough) await new Promise<void>((resolve) => (wake = resolve))
    await hub.killAndRestart()
  }
  const ends = await Promise.allSettled(running)
  await Promise.all([user, ...spaces].map((space) => space.close()))
  return { runs, ends }
}

function toolsCounting(runs: Map<number, number>) {
  const description = { name: 'work', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } }
  return {
    list: async () => [description],
    call: async (_: string, { n }: { n?: unknown }) => {
      runs.set(Number(n), (runs.get(Number(n)) ?? 0) + 1)
      return { content: [{ type: 'text', text: `did ${n}` }] }
    },
    close: async () => {},
  }
}
