import type { Assent } from '../../assent.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { inBackground } from '../../base/under-way.ts'
import { enrollLink } from '../../web/viewer/enroll.ts'
import type { Config } from '../config/config.ts'
import { defaults } from '../config/defaults.ts'
import { urlOf } from '../config/read/addresses.ts'
import type { Given } from '../config/read.ts'
import { adoptedNotes, startWarnings } from '../config/start-warnings.ts'
import { complain, print } from '../print.ts'
import { version } from '../version.ts'

/** How this process was started. */
interface Started {
  readonly given: Given
  readonly isDemo: boolean
}

/** Prints what somebody needs who has just started Assent. Returns how to stop listening to the keyboard. */
export async function showBanner(assent: Assent, config: Config, { given, isDemo }: Started): Promise<() => void> {
  const { listen, metrics, publicUrl, written, renamed } = config
  const isLocal = config.auth === undefined
  const data = dataOptions(config, given)
  const link = () => invite(assent, ['open', ...data, ...portOption(config, given)])
  print(`Assent ${version}: a person's yes between an AI agent and the tools it calls.`)
  print(
    `  settings  ${written?.file ?? `every setting is its default: there is no assent.yaml in this folder${isDemo ? ', so this is a demo' : ''}`}`,
  )
  print(`  store     ${assent.store.name}`)
  print(`  MCP       ${publicUrl}/mcp`)
  print(`  inbox     ${publicUrl}/inbox`)
  for (const space of Object.keys(config.hub.spaces)) {
    print(`  space     ${publicUrl.replace(/^http/, 'ws')}/hub/${space}`)
  }
  print(`  health    http://${listen.host}:${listen.port}/healthz`)
  if (metrics.listen !== undefined) print(`  metrics   ${urlOf(metrics.listen)}/metrics`)
  for (const { name, id } of renamed) print(`  The server "${visibleLine(name, 60)}" is called ${id} here.`)
  for (const words of adoptedNotes(config)) print(`  ${words}`)
  await warn(assent, config)
  print()
  if (isLocal) await link()
  else print(`People sign in at ${publicUrl}.`)
  if (isDemo) showDemo(config, data)
  else showServers(config)
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  print(
    `${isTerminal && isLocal ? 'Press Enter for a new link. ' : ''}Press Ctrl-C to stop. Questions and answers are kept.`,
  )
  return isTerminal && isLocal ? onEnter(link) : () => {}
}

/** Prints the addresses for MCP clients. */
function showServers({ servers, publicUrl, hub }: Config): void {
  if (servers.size === 0) {
    // A hub needs none.
    if (Object.keys(hub.spaces).length > 0) return
    print('The settings name no server yet. Add one under `servers` in assent.yaml, or paste your `mcpServers` there.')
    return
  }
  print(`Point your MCP client at ${publicUrl}/mcp for all servers, or at one of them:`)
  for (const id of servers.keys()) print(`  ${publicUrl}/mcp/${id}`)
  print(`To try it, in a second terminal: ${program()} call ${publicUrl}/mcp`)
  print()
}

/** Prints calls to try. Each shows one feature. */
function showDemo({ publicUrl }: Config, data: readonly string[]): void {
  const calls = [
    ['demo__time', 'runs at once, since the policy allows it'],
    [`demo__delete_note '{"name":"shopping"}'`, 'waits until you allow it in the browser'],
    [`agents__deploy '{"target":"production"}'`, 'one agent calls another, and waits for you in the inbox'],
    ['demo__plan_trip', 'asks you to fill in a form, in that terminal'],
    ['notes__connect', 'asks you to connect an account at a demo login'],
    ['notes__read_notes', 'works once you have connected it'],
  ] as const
  print('Then call tools as an agent would, in a second terminal in this folder:')
  for (const [call, what] of calls) {
    print(`  # ${what}`)
    print(`  ${program()} call ${publicUrl}/mcp ${call}`)
  }
  if (data.length > 0) {
    const inbox = [program(), 'inbox', ...data].join(' ')
    print(`Commands that read the data of this demo need its store too, such as ${inbox}`)
  }
  print('Next: add your own servers to assent.yaml, or paste your `mcpServers` there, and point your MCP client at')
  print(`${publicUrl}/mcp. See docs/gateway.md.`)
  print()
}

/** How people start Assent. npm does not put the command of a checkout on the PATH. */
function program(): string {
  return process.env.npm_execpath === undefined ? 'assent' : 'npx assent'
}

/** Prints why calls may not run, or questions may not be answered. */
async function warn(assent: Assent, config: Config): Promise<void> {
  const problem = assent.clockProblem()
  if (problem !== undefined) print(`  ${problem} Until then, /readyz answers 503.`)
  const { warnAboutPolicy } = await import('../config/reach-warnings.ts')
  await warnAboutPolicy(config)
  for (const words of startWarnings(config)) complain(`Warning: ${words}`)
  if (await assent.approvals.isPaused()) print('  Assent is paused: every call is denied until `assent resume`.')
  if (config.policy.mode === 'watch') print('  The policy is in watch mode: it stops no call.')
  const waiting = await assent.store.elicitations.listAllOpen(mostCounted)
  const count = waiting.length < mostCounted ? String(waiting.length) : `${mostCounted} or more`
  if (waiting.length > 0)
    print(`  ${count} ${waiting.length === 1 ? 'question waits' : 'questions wait'} for an answer.`)
}

const mostCounted = 1_000

async function invite(assent: Assent, open: readonly string[]): Promise<void> {
  print('To answer in your browser, open this link in it. It works once, for 10 minutes:')
  print(`  ${await enrollLink(assent)}`)
  if (!assent.store.name.startsWith('memory')) {
    print(`For another browser, or a new link: ${[program(), ...open].join(' ')}`)
  }
  print()
}

/** The options with which another command in this folder finds the settings and the store of this process. */
function dataOptions({ written, store }: Config, given: Given): string[] {
  const isOwnStore = written === undefined ? store !== defaults.store : given.store !== undefined
  // A terminal is no place for the password of a store.
  const address = /^\w+:\/\/[^/]*@/.test(store) ? '…' : quoted(store)
  return [
    ...(given.config === undefined ? [] : ['--config', quoted(given.config)]),
    ...(isOwnStore && !store.startsWith('memory') ? ['--store', address] : []),
  ]
}

/** No file says which port was given on the command line. */
function portOption({ written, listen }: Config, given: Given): string[] {
  const isKnown = written === undefined ? defaults.listen.endsWith(`:${listen.port}`) : given.port === undefined
  return isKnown ? [] : ['--port', String(listen.port)]
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function onEnter(work: () => Promise<void>): () => void {
  const hear = () => inBackground(work())
  process.stdin.on('data', hear)
  return () => {
    process.stdin.off('data', hear)
    process.stdin.pause()
  }
}
