import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds these files into a temporary folder, so that compiled code is measured, as it is published. */
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
    throw new Error(`The build failed:\n${stdout}`)
  })
}

/** Inside the project, so that packages are resolved. */
async function cacheFolder(): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  return cache
}

/** A server process, and what it reported when it was ready. */
export interface Server<Details> {
  readonly child: ChildProcess
  readonly details: Details
  /** The CPU time that the process has used so far, in microseconds. */
  used(): Promise<number>
}

export async function startServer<Details>(
  program: string,
  args: readonly string[],
  {
    cwd,
    env,
    execArgv = ['--expose-gc'],
    execPath = process.execPath,
  }: { cwd?: string; env?: NodeJS.ProcessEnv; execArgv?: readonly string[]; execPath?: string } = {},
): Promise<Server<Details>> {
  const child = fork(program, [...args], {
    cwd,
    env,
    execPath,
    execArgv: [...execArgv, ...profiling()],
    silent: cwd !== undefined,
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended before it was ready.`)))
  ended.catch(() => {})
  const [details] = (await Promise.race([once(child, 'message'), ended])) as [Details]
  return {
    child,
    details,
    async used() {
      const reply = once(child, 'message')
      child.send('used')
      const [{ user, system }] = (await reply) as [NodeJS.CpuUsage]
      return user + system
    },
  }
}

// Garbage is not collected on purpose: that costs by what a process holds, and not by what was done meanwhile.
const reporting = `
  process.on('message', () => process.send(process.cpuUsage()))
  process.on('disconnect', () => process.exit())
  process.channel.unref()`

/** Arguments for Node, by which a program that knows nothing of it says what it has used. It also runs `first`. */
export function reportingCpu(first: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(first + reporting)}`]
}

/** `BENCH_PROFILE=<folder>` writes CPU profiles of the server processes to that folder. */
function profiling(): string[] {
  const folder = process.env.BENCH_PROFILE
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** A process that makes requests as instructed, and reports how many. */
export async function startLoad<Load extends object, Made = number>(program: string) {
  const child = fork(program, { execArgv: [] })
  await once(child, 'message')
  const died = once(child, 'exit').then(() => Promise.reject(new Error('The load process exited; see above.')))
  died.catch(() => {})
  return {
    child,
    async make(load: Load): Promise<Made> {
      const done = Promise.race([once(child, 'message'), died])
      child.send(load)
      const [made] = (await done) as [Made]
      return made
    },
  }
}

export async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of new Set(children)) {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
}
