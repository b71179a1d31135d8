import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/free-port.ts'
import { median } from './measure.ts'

const calls = 500
const starts = 15
/** What a decision by policy may take: by HTTP, and from the start of the command to its answer. */
const most = { http: 10, command: 300 }
const root = fileURLToPath(new URL('..', import.meta.url))
const main = resolve(root, 'dist/cli/main.js')

const call = JSON.stringify({
  ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'git status' } },
  ...{ session_id: 's', cwd: '/tmp', permission_mode: 'default' },
})

/** `npm run bench -- hooks`: how long a coding agent waits for a decision by policy, through a gateway on SQLite. */
export async function bench(): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root })
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-'))
  const port = await freePort()
  const settings = join(folder, 'assent.yaml')
  const token = randomBytes(32).toString('hex')
  const policy = 'policy: { rules: [{ server: claude-code, tool: Bash, commands: [git status], decide: allow }] }'
  writeFileSync(
    settings,
    `version: 1\nlisten: 127.0.0.1:${port}\nstore: sqlite:./assent.db\nhooks: { token: ${token} }\n${policy}\n`,
  )
  const gateway = spawn(process.execPath, [main, 'gateway', '--config', settings], { cwd: folder })
  try {
    let said = ''
    for await (const chunk of gateway.stdout) {
      said += chunk
      if (said.includes('Ctrl-C')) break
    }
    gateway.stderr.resume()
    const http = await timed(calls, () => byHttp(port, token))
    const command = await timed(starts, () => byCommand(settings))
    console.log(
      `Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}. By HTTP: median ${http.toFixed(2)} ms. ` +
        `assent hook, start to answer: median ${command.toFixed(0)} ms.`,
    )
    if (http > most.http || command > most.command) process.exitCode = 1
  } finally {
    gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(count: number, work: () => Promise<void>): Promise<number> {
  // The first ones warm up.
  for (let done = 0; done < Math.ceil(count / 10); done++) await work()
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return median(times)
}

async function byHttp(port: string | number, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}/hooks/claude-code`, { method: 'POST', headers, body: call })
  isAllowed(await response.text())
}

async function byCommand(settings: string): Promise<void> {
  const hook = spawn(process.execPath, [main, 'hook', 'claude-code', '--config', settings])
  hook.stdin.end(call)
  let said = ''
  for await (const chunk of hook.stdout) said += chunk
  isAllowed(said)
}

function isAllowed(answer: string): void {
  if (!answer.includes('"permissionDecision":"allow"')) throw new Error(`It was to be allowed, and is ${answer}`)
}
