import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Assent, Elicitation, ParticipantId } from '../../../src/index.ts'
import { anAssent, testKeys } from '../assents.ts'
import { ended, startAssent } from '../cli/cli.ts'
import { compiled } from '../programs.ts'
import { temporaryFolder } from '../temporary.ts'
import { pathIn, type TestBrowser, testBrowser } from '../test-browser.ts'

/** A process that can be killed, and started again at the same address. */
export interface Killable {
  readonly url: URL
  /** SIGKILL: it has no time to do anything. */
  kill(): Promise<void>
  start(): Promise<void>
}

export interface KilledUpstream extends Killable {
  /** Everything that its tools did, whichever process did it. */
  runs(): Promise<string[]>
}

export const eras = ['2025', '2026'] as const

/** A server over HTTP in a process of its own. */
export async function anUpstream(era: (typeof eras)[number]): Promise<KilledUpstream> {
  const journal = join(await temporaryFolder(), 'journal')
  const program = compiled(new URL('./killed-upstream-process.ts', import.meta.url))
  let child: ChildProcess | undefined
  let port = 0
  async function start(): Promise<void> {
    child = fork(program, [era, String(port), journal], { execArgv: [] })
    port = (await once(child, 'message'))[0]
  }
  const kill = () => killed(child)
  onTestFinished(kill)
  await start()
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    kill,
    start,
    runs: async () => (await readFile(journal, 'utf8').catch(() => '')).split('\n').filter(Boolean),
  }
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  await ended(child, 'SIGKILL')
}

export interface KilledGateway extends Killable {
  /** The address of its settings. */
  readonly file: string
  /** The process that runs now. */
  child(): ChildProcess
  /** What it keeps, seen from another process. */
  readonly assent: Assent
  open(who?: ParticipantId): Promise<Elicitation[]>
  /** Told to stop, as people do it. */
  stop(): Promise<number | null>
  /** How many questions there ever were. */
  asked(): Promise<number>
  /** How often somebody asked what was open already. */
  joined(): Promise<number>
  /** A browser that came by the link it printed. */
  enrolled(): Promise<TestBrowser>
  /** A browser that did not. */
  stranger(): TestBrowser
}

/** `assent gateway` as people run it, on a SQLite file, with one server behind it called `up`. */
export async function aGateway(upstream: URL, settings: string): Promise<KilledGateway> {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  const servers = `servers: { up: { url: "${upstream}" } }`
  await writeFile(file, `version: 1\nlisten: 127.0.0.1:0\nstore: sqlite:assent.db\n${servers}\n${settings}`)
  const env = { ASSENT_KEYS: testKeys }
  let running = await startAssent(['--config', file], /Ctrl-C/, { env })
  const [, origin = ''] = /health +(http:\S+)\/healthz/.exec(running.said()) ?? []
  const assent = await anAssent({ store: `sqlite:${join(folder, 'assent.db')}` })
  async function count(kind: string): Promise<number> {
    let times = 0
    for await (const line of assent.exportAudit()) {
      times += [JSON.parse(line).event ?? []].flat().filter((event) => event.kind === kind).length
    }
    return times
  }
  const web = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) }
  const stranger = () => testBrowser({ web } as never, origin)
  return {
    url: new URL(`${origin}/mcp/up`),
    file,
    child: () => running.child,
    assent,
    stranger,
    kill: () => killed(running.child),
    stop: () => ended(running.child, 'SIGTERM'),
    async start() {
      running = await startAssent(['--config', file, '--port', new URL(origin).port], /Ctrl-C/, { env })
    },
    open: (who = 'local' as ParticipantId) => assent.listOpen({ participant: who, groups: [] }, 100),
    // Asking is recorded first; who then finds that it was asked before joins.
    asked: async () => (await count('question-asked')) - (await count('question-joined')),
    joined: () => count('question-joined'),
    async enrolled() {
      const browser = stranger()
      const [link = ''] = /http:\/\/\S+\/enroll\?code=\S+/.exec(running.said()) ?? []
      await browser.post(pathIn(link))
      return browser
    },
  }
}
