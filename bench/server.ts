import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Load } from './load-process.ts'
import { median, table } from './measure.ts'

const rounds = 5
const root = fileURLToPath(new URL('..', import.meta.url))
const contenders = ['sdk', 'assent'] as const

const works: { name: string; tool: string; calls: number }[] = [
  { name: 'a tool that asks nothing', tool: 'echo', calls: 1_600 },
  { name: 'a tool that could ask, and does not', tool: 'may-ask', calls: 1_600 },
  { name: 'a form: asked, answered, result', tool: 'form', calls: 480 },
]
const revisions = ['2025-11-25', '2026-07-28'] as const

/** `npm run bench -- server` */
export async function bench(): Promise<void> {
  const built = await mkdtemp(join(await cacheFolder(), 'assent-bench-'))
  try {
    await build(built)
    const servers = await Promise.all(contenders.map((name) => startServer(built, name)))
    const load = fork(join(built, 'bench/load-process.js'), { execArgv: [] })
    await once(load, 'message')
    console.log(
      `Node ${process.version}. CPU µs a call of the serving process, median of ${rounds} interleaved rounds.\n`,
    )
    await measure(servers, load)
    for (const child of [load, ...servers.map(({ child }) => child)]) {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    }
  } finally {
    await rm(built, { recursive: true, force: true })
  }
}

/** What is measured is what is published: plain JavaScript, with no loader in between. */
async function build(folder: string): Promise<void> {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: false, rootDir: root, outDir: folder, sourceMap: false, declaration: false },
    files: [new URL('./server-process.ts', import.meta.url), new URL('./load-process.ts', import.meta.url)].map((url) =>
      fileURLToPath(url),
    ),
    include: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => {
    throw new Error(`This does not build:\n${stdout}`)
  })
}

/** Inside the project, so that packages are found from there. */
async function cacheFolder(): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  return cache
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
  /** CPU time it has used so far, in microseconds. */
  used(): Promise<number>
}

async function startServer(built: string, name: string): Promise<Server> {
  const child = fork(join(built, 'bench/server-process.js'), [name], { execArgv: ['--expose-gc'] })
  const [port] = (await once(child, 'message')) as [number]
  return {
    child,
    port,
    async used() {
      const told = once(child, 'message')
      child.send('used')
      const [{ user, system }] = (await told) as [NodeJS.CpuUsage]
      return user + system
    },
  }
}

async function measure(servers: readonly Server[], load: ChildProcess): Promise<void> {
  const rows = works.flatMap((work) =>
    revisions.map((revision) => ({ ...work, revision, costs: servers.map((): number[] => []) })),
  )
  const died = once(load, 'exit').then(() => Promise.reject(new Error('The load process died; see above.')))
  died.catch(() => {})
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { tool, calls, revision, costs } of rows) {
      // Who goes first takes turns: the machine is not the same at the end of a round as at its beginning.
      const order = round % 2 === 0 ? [0, 1] : [1, 0]
      for (const index of order) {
        const { port, used } = servers[index] as Server
        const before = await used()
        const done = Promise.race([once(load, 'message'), died])
        load.send({ port, revision, tool, calls } satisfies Load)
        const [made] = (await done) as [number]
        if (round > 0) costs[index]?.push(((await used()) - before) / made)
      }
    }
  }
  table(
    ['', 'revision', 'SDK', 'Assent', 'ratio', 'ratios of the rounds'],
    rows.map(({ name, revision, costs: [sdk = [], assent = []] }) => {
      const ratios = assent.map((cost, round) => cost / (sdk[round] ?? Number.NaN))
      const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
      return [
        name,
        revision,
        Math.round(median(sdk)),
        Math.round(median(assent)),
        (median(assent) / median(sdk)).toFixed(2),
        range,
      ]
    }),
  )
}
