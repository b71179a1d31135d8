import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

/** The releases of the suite. The first one knows what each revision requires. */
export const releases = {
  '0.2.0-alpha.12': require.resolve('@modelcontextprotocol/conformance/dist/index.js'),
  '0.1.16': require.resolve('conformance-2025/dist/index.js'),
}

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** One thing that the suite looked at. */
export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** What a run of the suite found, by scenario. */
export interface SuiteRun {
  /** The suite itself is content with all that it scores. */
  readonly ok: boolean
  /** What it printed last. */
  readonly summary: string
  readonly scenarios: ReadonlyMap<string, readonly Check[]>
}

/** The leash must not keep it from ending when it is told to. */
const unleashed = 'data:text/javascript,process.channel.unref()'

/** Starts examples/everything in a process of its own, as its users do. */
export async function startEverything(): Promise<{ url: string; stop(): Promise<number | null> }> {
  const example = fork(here('examples/everything/main.ts'), ['--port', '0'], {
    execArgv: ['tsx', here('scripts/leash.js'), unleashed].flatMap((preload) => ['--import', preload]),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await once(example.stdout as NodeJS.ReadableStream, 'data')
  const [url] = /http:\S+/.exec(String(line)) ?? []
  if (url === undefined) throw new Error(`It did not say where it is: ${line}`)
  return {
    url,
    async stop() {
      const gone = once(example, 'exit')
      example.kill('SIGTERM')
      const [code] = await gone
      return code
    },
  }
}

/** Runs a release of the suite against a server. */
export function runSuite(release: keyof typeof releases, args: readonly string[], url: string): Promise<SuiteRun> {
  return runOn(release, ['server', '--url', url, ...args])
}

/** Runs one scenario of a release of the suite against a client, which is started for it. */
export function runClientScenario(
  release: keyof typeof releases,
  command: string,
  scenario: string,
  args: readonly string[],
): Promise<SuiteRun> {
  return runOn(release, ['client', '--command', command, '--scenario', scenario, ...args])
}

async function runOn(release: keyof typeof releases, args: readonly string[]): Promise<SuiteRun> {
  const results = await mkdtemp(join(tmpdir(), 'assent-conformance-'))
  try {
    const preload = ['--import', here('scripts/conformance-preload.js')]
    const { ok, out } = await run([...preload, releases[release], ...args, '-o', results])
    const found = await Promise.all((await readdir(results)).map((folder) => readScenario(results, folder)))
    return { ok, summary: out.slice(Math.max(0, out.indexOf('=== SUMMARY ==='))), scenarios: new Map(found) }
  } finally {
    await rm(results, { recursive: true, force: true })
  }
}

async function readScenario(results: string, folder: string): Promise<[string, Check[]]> {
  const [, scenario = folder] = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? []
  return [scenario, JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8'))]
}

function run(args: readonly string[]): Promise<{ ok: boolean; out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ ok: error === null, out: `${out}\n${err}` }),
    )
  })
}

/** The scenarios that a revision requires of servers or of clients, as the suite's own list of them says. */
export async function requiredScenarios(revision: string, of: 'server' | 'client' = 'server'): Promise<string[]> {
  const lists = new URL('../requirements/', pathToFileURL(releases['0.2.0-alpha.12']))
  const list = await readFile(new URL(`${revision}.yaml`, lists), 'utf8')
  const [, ours = ''] = new RegExp(`^${of}:\\n((?: .*\\n|#.*\\n|\\n)+)`, 'm').exec(list) ?? []
  return [...ours.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name as string)
}
