import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lends the folder where these files of ours, built, are. What is measured is what is published: no loader in between. */
export async function withBuilt(files: readonly URL[], work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(await cacheFolder(), 'assent-bench-'))
  try {
    await build(folder, files)
    await work(join(folder, 'bench'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function build(folder: string, files: readonly URL[]): Promise<void> {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: false, rootDir: root, outDir: folder, sourceMap: false, declaration: false },
    files: files.map((file) => fileURLToPath(file)),
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

/** A process that serves, and what it said when it was ready. */
export interface Server<Said> {
  readonly child: ChildProcess
  readonly said: Said
  /** CPU time it has used so far, in microseconds. */
  used(): Promise<number>
}

export async function startServer<Said>(program: string, args: readonly string[]): Promise<Server<Said>> {
  const child = fork(program, [...args], { execArgv: ['--expose-gc', ...profiling()] })
  const [said] = (await once(child, 'message')) as [Said]
  return {
    child,
    said,
    async used() {
      const told = once(child, 'message')
      child.send('used')
      const [{ user, system }] = (await told) as [NodeJS.CpuUsage]
      return user + system
    },
  }
}

/** `BENCH_PROFILE=<folder>` writes there where the serving processes spend their time. */
function profiling(): string[] {
  const folder = process.env.BENCH_PROFILE
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** A process that makes requests as it is told, and says how many. */
export async function startLoad<Load extends object>(program: string) {
  const child = fork(program, { execArgv: [] })
  await once(child, 'message')
  const died = once(child, 'exit').then(() => Promise.reject(new Error('The load process died; see above.')))
  died.catch(() => {})
  return {
    child,
    async make(load: Load): Promise<number> {
      const done = Promise.race([once(child, 'message'), died])
      child.send(load)
      const [made] = (await done) as [number]
      return made
    },
  }
}

export async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
}
