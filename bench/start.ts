import { type ChildProcess, execFileSync, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePort } from '../test/support/free-port.ts'
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
  /** What it reads from its standard input, and whether that stays open then. Default: a terminal. */
  readonly input?: { readonly text: string; readonly isOpen: boolean }
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
  const gateway = await startGateway(folder)
  try {
    const [output] = await once(server.stdout, 'data')
    const [url = ''] = /http:\S+/.exec(String(output)) ?? []
    const starts = [...startsOf(url), ...startsByClients(folder)]
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
    await stopped(gateway)
    rmSync(folder, { recursive: true, force: true })
  }
}

const peer = 'importing the client of the SDK'
const main = resolve(root, 'dist/cli/main.js')

/** A gateway that hooks find, and settings by which they find none. */
async function startGateway(folder: string): Promise<ChildProcess> {
  const port = await freePort()
  const policy = 'policy: { default: ask, rules: [{ server: claude-code, tool: Read, decide: allow }] }'
  const settings = (listen: string, store: string) =>
    `version: 1\nlisten: 127.0.0.1:${listen}\nstore: sqlite:./${store}.db\n${policy}\n`
  writeFileSync(join(folder, 'gateway.yaml'), settings(port, 'gateway'))
  writeFileSync(join(folder, 'alone.yaml'), settings(await freePort(), 'alone'))
  const gateway = spawn(process.execPath, [main, 'gateway', '--config', 'gateway.yaml'], { cwd: folder })
  let said = ''
  for await (const chunk of gateway.stdout) {
    said += chunk
    if (said.includes('Ctrl-C')) break
  }
  gateway.stderr.resume()
  return gateway
}

/** What clients start: hooks before each call, and `assent run` once for each server of a client. */
function startsByClients(folder: string): Start[] {
  const call = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '/tmp/notes.txt' } }
  const hook = {
    until: 'permissionDecision',
    input: {
      text: JSON.stringify({ session_id: 's', cwd: '/tmp', permission_mode: 'default', ...call }),
      isOpen: false,
    },
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const initialize = { jsonrpc: '2.0', id: 'first', method: 'initialize', params }
  const run = ['run', '--store', 'memory:', '--port', '0', '--', process.execPath, main, 'demo-tools']
  const by = (settings: string) => [main, 'hook', 'claude-code', '--config', join(folder, `${settings}.yaml`)]
  return [
    { name: 'assent hook, through a gateway: its answer', args: by('gateway'), ...hook },
    { name: 'assent hook, alone: its answer', args: by('alone'), ...hook },
    {
      name: 'assent run: its answer to initialize',
      args: [main, ...run],
      until: '"id":"first"',
      input: { text: `${JSON.stringify(initialize)}\n`, isOpen: true },
    },
  ]
}

function startsOf(url: string): Start[] {
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

async function measured(start: Start, folder: string): Promise<Spent> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const args = ['--import', `data:text/javascript,${encodeURIComponent(reporting)}`, ...start.args]
  const env = { ...process.env, BENCH_UNTIL: start.until, BENCH_REPORT: report }
  const options = { cwd: folder, timeout: 60_000, env }
  const child = start.input === undefined ? atTerminal(args, options) : spawn(node, args, options)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  if (start.input?.isOpen === true) child.stdin.write(start.input.text)
  else if (start.input !== undefined) child.stdin.end(start.input.text)
  await once(child, 'exit')
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`${start.name}: it ended before it said ${start.until}: ${said}`)
  })
  return JSON.parse(text)
}

/** In a pseudo-terminal, because only a person at a terminal is asked. */
function atTerminal(args: readonly string[], options: SpawnOptionsWithoutStdio) {
  const command = [node, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  return spawn('script', ['-qec', command, '/dev/null'], options)
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
