import type { Assent } from '../../assent.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { enrollLink } from '../../web/viewer/enroll.ts'
import type { Config } from '../config/config.ts'
import { defaults } from '../config/defaults.ts'
import { urlOf } from '../config/read/addresses.ts'
import { print } from '../print.ts'
import { version } from '../version.ts'

/** The few lines a newcomer needs. Returns how to stop listening to the keyboard. */
export async function showBanner(assent: Assent, config: Config, isDemo: boolean): Promise<() => void> {
  const { listen, metrics, publicUrl, written, renamed } = config
  const isLocal = config.auth === undefined
  print(`Assent ${version}: a person's yes between an AI agent and the tools it calls.`)
  print(
    `  settings  ${written?.file ?? `all defaults: there is no assent.yaml here${isDemo ? ', so this is a demo' : ''}`}`,
  )
  print(`  kept in   ${assent.store.name}`)
  print(`  MCP       ${publicUrl}/mcp`)
  print(`  inbox     ${publicUrl}/inbox`)
  print(`  health    http://${listen.host}:${listen.port}/healthz`)
  if (metrics.listen !== undefined) print(`  metrics   ${urlOf(metrics.listen)}/metrics`)
  for (const { name, id } of renamed) print(`  The server "${visibleLine(name, 60)}" is called ${id} here.`)
  await warn(assent, config)
  print()
  if (isLocal) await invite(assent, config)
  else print(`People sign in at ${publicUrl} with their login.`)
  if (isDemo) showDemo(config)
  else showServers(config)
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  print(
    `${isTerminal && isLocal ? 'Enter makes a new link. ' : ''}Ctrl-C stops it. Nothing that was asked or answered is lost.`,
  )
  return isTerminal && isLocal ? onEnter(() => invite(assent, config)) : () => {}
}

/** Where MCP clients find what is behind the gateway. */
function showServers({ servers, publicUrl }: Config): void {
  if (servers.size === 0) {
    print('No server is in the settings yet: add one under `servers` in assent.yaml, or paste your `mcpServers` there.')
    return
  }
  print(`Point your MCP client at ${publicUrl}/mcp for all servers, or at one of them:`)
  for (const id of servers.keys()) print(`  ${publicUrl}/mcp/${id}`)
  print(`To try it in a second terminal: ${program()} call ${publicUrl}/mcp`)
  print()
}

/** Each shows one thing that Assent does. */
function showDemo({ publicUrl }: Config): void {
  const calls = [
    ['demo__time', 'runs at once: the policy allows it'],
    [`demo__delete_note '{"name":"shopping"}'`, 'waits for your yes in the browser'],
    ['demo__plan_trip', 'asks you by a form, in that terminal'],
    ['notes__connect', 'asks you to connect an account, at a demo login'],
    ['notes__read_notes', 'is there once you have'],
  ] as const
  print('Then call tools as an agent would, in a second terminal in this folder:')
  for (const [call, what] of calls) {
    print(`  # ${what}`)
    print(`  ${program()} call ${publicUrl}/mcp ${call}`)
  }
  print('Next: name your own servers in assent.yaml, or paste your `mcpServers` there, and point your MCP client at')
  print(`${publicUrl}/mcp. docs/gateway.md says how.`)
  print()
}

/** What people type to run us: npm puts no command of a checkout on the path. */
function program(): string {
  return process.env.npm_execpath === undefined ? 'assent' : 'npx assent'
}

/** What somebody should know before they wonder why nothing runs, or nobody answers. */
async function warn(assent: Assent, config: Config): Promise<void> {
  const { warnOutOfReach } = await import('../config/reach-warnings.ts')
  await warnOutOfReach(config)
  if (await assent.approvals.isPaused()) print('  Everything is paused: no tool runs until `assent resume`.')
  if (config.policy.mode === 'watch') print('  The policy only watches: it stops no call.')
  const waiting = await assent.store.elicitations.listAllOpen(mostCounted)
  const count = waiting.length < mostCounted ? String(waiting.length) : `${mostCounted} or more`
  if (waiting.length > 0)
    print(`  ${count} ${waiting.length === 1 ? 'question waits' : 'questions wait'} for an answer.`)
}

const mostCounted = 1_000

async function invite(assent: Assent, config: Config): Promise<void> {
  print('To answer in your browser, open this in it once (it works once, for 10 minutes):')
  print(`  ${await enrollLink(assent)}`)
  if (!assent.store.name.startsWith('memory')) print(`For another browser, or later: ${openCommand(config)}`)
  print()
}

/** Without a file another command does not know what this one was told. */
function openCommand({ written, store, listen }: Config): string {
  const words = [program(), 'open']
  if (written === undefined && store !== defaults.store) words.push('--store', store)
  if (written === undefined && !defaults.listen.endsWith(`:${listen.port}`)) words.push('--port', String(listen.port))
  return words.join(' ')
}

function onEnter(work: () => Promise<void>): () => void {
  const hear = () => void work()
  process.stdin.on('data', hear)
  return () => {
    process.stdin.off('data', hear)
    process.stdin.pause()
  }
}
