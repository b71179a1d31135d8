import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Packages } from './install.ts'
import { freePort, type Processes, type Program } from './processes.ts'
import { openTerminal, quoted, type Terminal } from './terminal.ts'

/** A question as `assent inbox --json` lists it. */
export interface Waiting {
  readonly id: string
  readonly server: string
}

/** The gateway that a client is tried with, and the person at its inbox. */
export interface Gateway {
  /** Where clients connect: `…/mcp`. */
  readonly url: string
  /** Where the filesystem server may write. */
  readonly data: string
  inbox(): Promise<Waiting[]>
  /** Waits for a question in the inbox that is not one of these, for as long as a call is held. */
  waiting(known: ReadonlySet<string>): Promise<Waiting | undefined>
  /** Answers in a terminal, as a person would; returns what it says. */
  allow(id: string): Promise<string>
  deny(id: string, reason: string): Promise<string>
  /** How often a tool has been sent to its server. */
  timesRun(tool: string): Promise<number>
  /** Fills the newest form in `assent inbox`, with its defaults. */
  fillForm(): Promise<void>
  /** Says yes in `assent inbox` to the newest question, with another text in place of the only argument that can be edited. */
  edit(text: string): Promise<void>
  /** The hook of a client, as a line for a shell. */
  hook(client: string): string
  /** Says yes to the newest question in `assent inbox`, which asks to confirm something. */
  confirm(): Promise<void>
  readonly log: () => string
}

/** How long the gateway holds a call that waits for a person: long enough to answer within it on a slow machine. */
export const holdSeconds = 15

const main = new URL('../../dist/cli/main.js', import.meta.url).pathname

export async function startGateway(processes: Processes, packages: Packages, folder: string): Promise<Gateway> {
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  await writeFile(join(folder, 'assent.yaml'), settings(packages, data, await freePort()))
  const program = (...args: string[]): Program => ({
    command: [process.execPath, main, ...args],
    cwd: folder,
    env: { HOME: folder, TERM: 'xterm', SHELL: '/bin/sh' },
  })
  const child = processes.start(program('gateway'))
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      log += text
    })
  }
  const url = await address(() => log)
  await allUp(url)

  const assent = async (...args: string[]) => (await processes.run(program(...args), 60)).output
  const atTerminal = async (...args: string[]) => {
    const { command, ...rest } = program(...args)
    const words = command.map(quoted).join(' ')
    return (await processes.run({ command: ['script', '-qfec', `stty cols 120; ${words}`, '/dev/null'], ...rest }, 60))
      .output
  }
  const inbox = async (): Promise<Waiting[]> => JSON.parse((await assent('inbox', '--json')) || '[]')
  return {
    url,
    data,
    inbox,
    waiting: async (known) => {
      for (const end = Date.now() + holdSeconds * 1_000; Date.now() < end; await sleep(300)) {
        const found = (await inbox()).find(({ id }) => !known.has(id))
        if (found !== undefined) return found
      }
      return undefined
    },
    allow: (id) => atTerminal('inbox', 'allow', id),
    deny: (id, reason) => atTerminal('inbox', 'deny', id, '--reason', reason),
    timesRun: async (tool) => startsOf(await assent('audit', 'export'), tool),
    fillForm: async () => fillForm(await openTerminal(processes, folder, program('inbox'))),
    confirm: async () => confirm(await openTerminal(processes, folder, program('inbox'))),
    edit: async (text) => edit(await openTerminal(processes, folder, program('inbox')), text),
    hook: (client) =>
      [process.execPath, main, 'hook', client, '--config', join(folder, 'assent.yaml')].map(quoted).join(' '),
    log: () => log,
  }
}

function settings(packages: Packages, data: string, port: number): string {
  const server = (name: string, ...args: string[]) => ({ command: 'node', args: [packages.server(name), ...args] })
  // JSON is YAML.
  return JSON.stringify({
    version: 1,
    listen: `127.0.0.1:${port}`,
    clocks: { hold: `${holdSeconds}s` },
    hooks: { hold: `${holdSeconds}s` },
    mcpServers: { everything: server('everything'), files: server('filesystem', data), memory: server('memory') },
    policy: {
      rules: [
        { server: 'files', tool: 'write_file', decide: 'ask', reason: 'Files are kept for good.' },
        { server: 'files', tool: 'create_directory', decide: 'ask', answer: 'page' },
        { server: 'memory', tool: 'search_nodes', decide: 'ask', reason: 'Notes are private.' },
        ...hookRules,
        { decide: 'allow' },
      ],
    },
  })
}

/** About the shell of coding agents. Whatever else they call by themselves runs. */
const hookRules = [
  {
    server: ['claude-code', 'codex'],
    commands: 'touch */denied',
    decide: 'deny',
    reason: 'A file is not of this name.',
  },
  { server: ['claude-code', 'codex'], commands: 'touch */allowed', decide: 'allow' },
  { server: ['claude-code', 'codex'], commands: 'touch *', decide: 'ask', editable: ['command'] },
]

async function address(log: () => string): Promise<string> {
  for (let tries = 0; tries < 120; tries += 1) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp$/m.exec(log())?.[0]
    if (url !== undefined) return url
    await sleep(500)
  }
  throw new Error(`The gateway did not start:\n${log()}`)
}

/** Clients list once, and some give up early; this run is about them, not about how fast servers start. */
async function allUp(url: string): Promise<void> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'clients-check', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  for (let tries = 0; tries < 60; tries += 1) {
    const { tools } = await client.listTools()
    const servers = new Set(tools.map(({ name }) => name.split('__')[0]))
    if (servers.size === 3) return client.close()
    await sleep(500)
  }
  throw new Error('The official servers did not come up.')
}

function startsOf(audit: string, tool: string): number {
  const lines = audit.split('\n').filter((line) => line.startsWith('{'))
  const events = lines.map((line) => JSON.parse(line).event)
  return events.filter((event) => event?.kind === 'call-started' && event.data?.tool === tool).length
}

/** Enter takes what a field suggests. A field that suggests nothing and must be filled gets a name. */
async function fillForm(terminal: Terminal): Promise<void> {
  try {
    await terminal.see(/1 of \d+/, 20)
    for (let tries = 0; tries < 40; tries += 1) {
      const screen = (await terminal.screen()).trimEnd()
      if (screen.includes('Type send to send it')) return await terminal.type('send', 'Enter')
      const isMissing = screen.split('\n').at(-2)?.includes('is required')
      await (isMissing ? terminal.type('Ada', 'Enter') : terminal.press('Enter'))
    }
  } finally {
    await sleep(1_000)
    await terminal.close()
  }
}

async function confirm(terminal: Terminal): Promise<void> {
  try {
    await terminal.see(/y yes/, 20)
    await terminal.type('y', 'Enter')
  } finally {
    await sleep(1_000)
    await terminal.close()
  }
}

async function edit(terminal: Terminal, text: string): Promise<void> {
  try {
    await terminal.see(/e edit/, 20)
    await terminal.type('e', 'Enter')
    await terminal.see(/1 of 1/, 20)
    await terminal.type(text, 'Enter')
    await sleep(1_000)
    await terminal.type('a', 'Enter')
  } finally {
    await sleep(1_000)
    await terminal.close()
  }
}
