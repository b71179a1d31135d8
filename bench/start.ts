import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { median, range, table } from './measure.ts'

const rounds = 5
const root = fileURLToPath(new URL('..', import.meta.url))
/** Another Node than the one that runs the bench, to measure. */
const node = process.env.BENCH_NODE ?? process.execPath

/** A command, and what it prints when it has done what is measured. */
interface Start {
  readonly name: string
  readonly args: readonly string[]
  readonly until: string
}

/** Since the process began, in ms. */
interface Spent {
  readonly cpu: number
  readonly wall: number
}

/**
 * `npm run bench -- start`: what it costs to start a command, compared with importing the client of the SDK. CPU time is
 * that of all threads of the process. `BENCH_NODE=<path>` measures another Node.
 */
export async function bench(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  const server = spawn(process.execPath, ['--import', 'tsx', 'examples/everything/main.ts', '--port', '0'], {
    cwd: root,
  })
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  try {
    const [output] = await once(server.stdout, 'data')
    const [url = ''] = /http:\S+/.exec(String(output)) ?? []
    const starts = startsOf(url)
    const spent = new Map(starts.map(({ name }) => [name, [] as Spent[]]))
    // The first round warms up the disk cache.
    for (let round = 0; round <= rounds; round++) {
      for (const start of starts) {
        const one = await measured(start, folder)
        if (round > 0) spent.get(start.name)?.push(one)
      }
    }
    show(starts, spent)
  } finally {
    await stopped(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

const peer = 'importing the client of the SDK'

function startsOf(url: string): Start[] {
  const main = resolve(root, 'dist/cli/main.js')
  const client = pathToFileURL(resolve(root, 'node_modules/@modelcontextprotocol/client/dist/index.mjs')).href
  const saying = (text: string) => ['--input-type=module', '-e', `${text}; process.stdout.write('done')`]
  return [
    { name: 'bare node', args: saying(''), until: 'done' },
    { name: peer, args: saying(`await import('${client}')`), until: 'done' },
    { name: 'assent --version', args: [main, '--version'], until: '\\d' },
    {
      name: 'assent call: its first question',
      args: [main, 'call', url, 'test_elicitation', '{"message":"Who?"}'],
      until: '[Uu]sername',
    },
    { name: 'assent gateway: ready', args: [main, 'gateway', '--port', '0'], until: 'Ctrl-C' },
  ]
}

/** Reports, and ends the process, when it has printed what is waited for. */
const reporting = `
  import { writeFileSync } from 'node:fs'
  const { BENCH_UNTIL, BENCH_REPORT } = process.env
  let said = ''
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write
    stream.write = function (chunk, ...more) {
      said += chunk
      if (!new RegExp(BENCH_UNTIL).test(said)) return write.call(this, chunk, ...more)
      const { user, system } = process.cpuUsage()
      writeFileSync(BENCH_REPORT, JSON.stringify({ cpu: (user + system) / 1000, wall: performance.now() }))
      process.exit()
    }
  }`

/** In a pseudo-terminal, because only a person at a terminal is asked. */
async function measured({ name, args, until }: Start, folder: string): Promise<Spent> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const preload = `data:text/javascript,${encodeURIComponent(reporting)}`
  const command = [node, '--import', preload, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 60_000,
    env: { ...process.env, BENCH_UNTIL: until, BENCH_REPORT: report },
  })
  let screen = ''
  terminal.stdout.on('data', (chunk) => {
    screen += chunk
  })
  await once(terminal, 'exit')
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`${name}: it ended before it said ${until}: ${screen}`)
  })
  return JSON.parse(text)
}

function show(starts: readonly Start[], spent: ReadonlyMap<string, readonly Spent[]>): void {
  const version = execFileSync(node, ['--version']).toString().trim()
  const of = (name: string, kind: keyof Spent) => (spent.get(name) ?? []).map((one) => one[kind])
  console.log(`Node ${version}, ${rounds} interleaved rounds, medians; load average ${loadavg()[0]?.toFixed(1)}.\n`)
  table(
    ['', 'CPU ms', 'of the import', 'of the rounds', 'ms', 'of the import'],
    starts.map(({ name }) => {
      const ratios = of(name, 'cpu').map((cpu, round) => cpu / (of(peer, 'cpu')[round] ?? Number.NaN))
      const [cpu, wall] = [median(of(name, 'cpu')), median(of(name, 'wall'))]
      return [
        name,
        Math.round(cpu),
        (cpu / median(of(peer, 'cpu'))).toFixed(2),
        range(ratios),
        Math.round(wall),
        (wall / median(of(peer, 'wall'))).toFixed(2),
      ]
    }),
  )
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
