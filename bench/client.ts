import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median, table } from './measure.ts'

const rounds = 7
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * `npm run bench -- client`: the time from starting a command to its first question, compared with importing the SDK's
 * client.
 */
export async function bench(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  const server = spawn(process.execPath, ['--import', 'tsx', 'examples/everything/main.ts', '--port', '0'], {
    cwd: root,
  })
  try {
    const [output] = await once(server.stdout, 'data')
    const [url = ''] = /http:\S+/.exec(String(output)) ?? []
    const call = `node dist/cli/main.js call ${url} test_elicitation '{"message":"Who?"}'`
    const imports = `node --input-type=module -e "await import('@modelcontextprotocol/client'); console.log('Username')"`
    const bare = `node -e "console.log('Username')"`
    const times = { call: [] as number[], imports: [] as number[], bare: [] as number[] }
    for (let round = 0; round <= rounds; round++) {
      const took = { call: await untilSaid(call), imports: await untilSaid(imports), bare: await untilSaid(bare) }
      // The first round warms up the disk cache.
      if (round > 0) for (const kind of ['call', 'imports', 'bare'] as const) times[kind].push(took[kind])
    }
    const [callMs, importMs, bareMs] = [median(times.call), median(times.imports), median(times.bare)]
    const row = (name: string, ms: number) => [name, Math.round(ms), (ms / importMs).toFixed(2)]
    console.log(`Node ${process.version}, ${rounds} interleaved rounds in a pseudo-terminal, medians.\n`)
    table(
      ['from start to', 'ms', 'of the import'],
      [
        row('assent call: the first question of a server over HTTP', callMs),
        row('the SDK client imported', importMs),
        row('bare node', bareMs),
      ],
    )
  } finally {
    await stopped(server)
  }
}

/** The time until the word that both print is on the screen. */
async function untilSaid(command: string): Promise<number> {
  const start = performance.now()
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
  let screen = ''
  for await (const chunk of terminal.stdout) {
    screen += chunk
    if (!/username/i.test(screen)) continue
    const took = performance.now() - start
    await stopped(terminal)
    return took
  }
  throw new Error(`The command exited without asking: ${screen}`)
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
