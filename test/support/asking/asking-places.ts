import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Assent, createAssent, type Elicitation } from '../../../src/index.ts'
import { createAssentServer } from '../../../src/server/index.ts'
import { testKeys } from '../assents.ts'
import { compiled } from '../programs.ts'
import { keepConnections } from '../server/keep-connections.ts'
import type { Target } from './asking-clients.ts'
import { doIn, exampleServer } from './asking-example.ts'

/** The example server somewhere, with an Assent on the same store for whoever answers from outside. */
export interface Place {
  readonly target: Target
  readonly assent: Assent
  /** What the server really did, each time it did it. */
  deeds(): Promise<string[]>
  /** A question that waits for the local person, as soon as it is kept. */
  waiting(isIt: (elicitation: Elicitation) => boolean): Promise<Elicitation>
  close(): Promise<void>
}

/** The server listens in this process. */
export async function overHttp(): Promise<Place> {
  const { assent, deedsFile, ...place } = await placeOn()
  const asking = createAssentServer(assent, { name: 'example' })
  const serving = asking.http(() => exampleServer(asking, doIn(deedsFile)))
  const server = createServer(keepConnections, serving.node)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...place,
    assent,
    target: { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) },
    async close() {
      await serving.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await place.close()
    },
  }
}

/** Each client starts a process of its own, on the same store. */
export async function overStdio(): Promise<Place> {
  const { store, deedsFile, ...place } = await placeOn()
  const program = compiled(new URL('./asking-process.ts', import.meta.url))
  const env = { PATH: process.env.PATH ?? '', ASSENT_KEYS: testKeys }
  return { ...place, target: { args: [program, store, deedsFile], env } }
}

async function placeOn() {
  const folder = await mkdtemp(join(tmpdir(), 'assent-test-'))
  const store = `sqlite:${join(folder, 'assent.db')}`
  const deedsFile = join(folder, `${randomUUID()}.txt`)
  await writeFile(deedsFile, '')
  const assent = await createAssent({ store, keys: testKeys, clocks: { tidy: 0 } })
  return {
    store,
    deedsFile,
    assent,
    deeds: async () => (await readFile(deedsFile, 'utf8')).split('\n').filter(Boolean),
    waiting: (isIt: (elicitation: Elicitation) => boolean) => waitingFor(assent, isIt),
    close: async () => {
      await assent.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function waitingFor(assent: Assent, isIt: (elicitation: Elicitation) => boolean): Promise<Elicitation> {
  const local = { participant: 'local' as never, groups: [] }
  for (;;) {
    const found = (await assent.listOpen(local, 1_000)).find(isIt)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
