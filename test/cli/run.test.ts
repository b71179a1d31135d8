import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AskedClient, type Connect, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const main = pathOf('../../dist/cli/main.js')
const programs = {
  '2025': pathOf('../support/upstream/programs/old-stdio.js'),
  '2026': pathOf('../support/upstream/programs/new-stdio.js'),
}
const clients = [
  ['SDK 1.32 of 2025', connectOld],
  ['SDK 2.4 of 2025', connect11],
  ['SDK 2.4 of 2026', connect26],
] as const

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function aConfig(policy: string, folder?: string): Promise<string> {
  const file = join(folder ?? (await temporaryFolder()), 'assent.yaml')
  await writeFile(file, `version: 1\nlisten: 127.0.0.1:${await freePort()}\npolicy: ${policy}\n`)
  return file
}

const commandOf = (options: readonly string[], program: string) => [
  main,
  'run',
  ...options,
  '--',
  process.execPath,
  program,
]

async function connected(connect: Connect, args: string[]): Promise<AskedClient> {
  const client = await connect({ args, env: process.env as Record<string, string> })
  onTestFinished(() => client.close())
  return client
}

interface Message {
  readonly jsonrpc: string
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly content: { readonly text: string }[] }
}

/** A raw client of 2025: every line that comes, and how to send one. Whoever starts it ends it. */
function startRun(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ASSENT_KEYS: '', ...env } })
  const lines: string[] = []
  const looks = new Set<() => void>()
  const lookAgain = () => {
    for (const look of looks) look()
  }
  let err = ''
  let hasEnded = false
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk
    lookAgain()
  })
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    lookAgain()
  })
  child.once('close', () => {
    hasEnded = true
    lookAgain()
  })

  /** Looks whenever something comes, until it finds what it looks for or the process has ended. */
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found === undefined && !hasEnded) return
        looks.delete(look)
        if (found === undefined) reject(new Error(`It ended before. It said: ${err}`))
        else resolve(found)
      }
      looks.add(look)
      look()
    })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const messages = () => lines.map((line): Message => JSON.parse(line))
  const replyTo = (id: number) => until(() => messages().find((message) => message.id === id))
  let lastId = 0
  return {
    child,
    messages,
    until,
    err: () => err,
    says: (words: string) => until(() => (err.includes(words) ? words : undefined)),
    send,
    async begin() {
      const clientInfo = { name: 'raw', version: '1' }
      send({
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
      })
      await replyTo(0)
      send({ method: 'notifications/initialized' })
    },
    async call(name: string): Promise<string> {
      lastId += 1
      send({ id: lastId, method: 'tools/call', params: { name, arguments: {} } })
      return (await replyTo(lastId)).result?.content[0]?.text ?? ''
    },
  }
}

/** The same for one test. */
function aRun(...given: Parameters<typeof startRun>) {
  const run = startRun(...given)
  onTestFinished(() => void run.child.kill('SIGKILL'))
  return run
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  return child.exitCode ?? (await once(child, 'exit'))[0]
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.each(Object.entries(programs))('assent run in front of a server of %s', (era, program) => {
  const policy = '{ default: allow, rules: [{ tool: pid, decide: ask }] }'

  test.each(clients)('passes what %s calls and is asked, and asks where the policy says so', async (_, connect) => {
    const client = await connected(connect, commandOf(['--config', await aConfig(policy)], program))
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'pid', 'ask']))
    expect((await client.call('echo', { text: 'hello' })).text).toBe('hello')

    client.answers(() => ({ action: 'accept', content: { name: 'Ada' } }))
    const { text } = await client.call('ask', era === '2025' ? { who: 'it' } : {})
    expect(text).toContain('Ada')
    expect(client.asked.map(({ message }) => message)).toEqual([expect.stringMatching(/^\[(old|new)-stdio\] Who/)])

    client.answers(() => ({ action: 'decline' }))
    expect(await client.call('pid')).toMatchObject({ isError: true, outcome: { status: 'denied' } })
    client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    expect((await client.call('pid')).text).toMatch(/^\d+$/)
    expect(client.asked).toHaveLength(3)
  })

  test('tells a client of 2026 that its tools changed', async () => {
    const args = commandOf(['--config', await aConfig('{ default: allow }')], program)
    const mode = { pin: '2026-07-28' }
    const client = new Client({ name: 'hearing', version: '1' }, { versionNegotiation: { mode } })
    let heard = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      heard += 1
    })
    const env = process.env as Record<string, string>
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
    onTestFinished(() => client.close())
    await client.listen({ toolsListChanged: true })
    // The subscription at the server is opened in the background, after the reply to `listen`.
    while (heard === 0) {
      await client.callTool({ name: 'change', arguments: {} })
      await sleep(100)
    }
  })

  describe('for a client of 2025', () => {
    let run: ReturnType<typeof startRun>
    let folder: string
    let pid: number

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'assent-test-'))
      const config = await aConfig('{ default: allow }', folder)
      const args = commandOf(['--config', config, '--name', 'My Server'], program)
      run = startRun(args, { NOTES_TOKEN: 'for the server', ASSENT_LOG: 'error' })
      await run.begin()
      pid = Number(await run.call('pid'))
    })
    afterAll(async () => {
      run.child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    })

    test('says what it stands in front of, and writes nothing but MCP to standard output', () => {
      expect(run.err()).toContain('stands in front of my-server')
      expect(run.messages().map(({ jsonrpc }) => jsonrpc)).toEqual(run.messages().map(() => '2.0'))
    })

    test('tells it that its tools changed', async () => {
      await run.call('change')
      await run.until(() => run.messages().find(({ method }) => method === 'notifications/tools/list_changed'))
    })

    if (era === '2025') {
      test('hands on what it gives the server, and nothing that is meant for Assent', async () => {
        const environment = JSON.parse(await run.call('environment')) as Record<string, string>
        expect(environment.NOTES_TOKEN).toBe('for the server')
        expect(Object.keys(environment).filter((name) => name.startsWith('ASSENT_'))).toEqual([])
      })
    }

    test('ends with it, and ends its server', async () => {
      expect(isAlive(pid)).toBe(true)
      run.child.stdin.end()
      expect(await exitOf(run.child)).toBe(0)
      expect(isAlive(pid)).toBe(false)
    })
  })
})

describe('assent run', () => {
  test('decides by the policy of its file as it is now, and says so apart from MCP', async () => {
    const config = await aConfig('{ default: allow }')
    const run = aRun(commandOf(['--config', config], programs['2025']))
    await run.begin()
    expect(await run.call('pid')).toMatch(/^\d+$/)
    const text = await readFile(config, 'utf8')
    await writeFile(config, text.replace('default: allow', 'default: deny'))
    await run.says('The policy was reloaded')
    expect(run.err()).not.toContain('Other settings changed')
    expect(await run.call('pid')).toContain('not allowed')
    await writeFile(config, 'version: what')
    await run.says('The policy was not reloaded')
    expect(await run.call('pid')).toContain('not allowed')
    expect(run.messages().map(({ jsonrpc }) => jsonrpc)).toEqual(run.messages().map(() => '2.0'))
  })

  test('keeps things in the state folder; one serves the pages, and the next takes over when it is gone', async () => {
    const state = await temporaryFolder()
    const port = String(await freePort())
    const env = { XDG_STATE_HOME: state }
    const args = commandOf(['--port', port], programs['2026'])
    const health = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ status }) => status,
        () => 'nobody',
      )

    const first = aRun(args, env)
    await first.says('This process serves the pages now')
    expect(await health()).toBe(200)
    const second = aRun(args, env)
    await second.begin()
    expect((await stat(join(state, 'assent', 'assent.db'))).isFile()).toBe(true)
    const store = `sqlite:${join(state, 'assent', 'assent.db')}`
    expect(second.err()).toContain(`assent open --store ${store} --port ${port}`)
    expect(second.err()).not.toContain('This process serves')

    first.child.kill('SIGKILL')
    await second.says(`This process serves the pages now, at http://127.0.0.1:${port}.`)
    const { out } = await assent(['open', '--print', '--store', store, '--port', port])
    expect((await fetch(out.trim())).status).toBe(200)

    second.child.stdin?.end()
    expect(await exitOf(second.child)).toBe(0)
    expect(await health()).toBe('nobody')
  })

  test('says so when another program has the port of its pages, and serves MCP all the same', async () => {
    const other = createServer((_, response) => response.end('something else'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close().closeAllConnections())
    const port = String((other.address() as AddressInfo).port)
    const run = aRun(commandOf(['--store', 'memory:', '--port', port], programs['2026']))
    await run.begin()
    await run.says(`Another program uses http://127.0.0.1:${port}`)
  })

  test('ends when it is told to, with a call under way', async () => {
    const run = aRun(commandOf(['--config', await aConfig('{ default: allow }')], programs['2025']))
    await run.begin()
    const pid = Number(await run.call('pid'))
    run.send({ id: -1, method: 'tools/call', params: { name: 'wait', arguments: {} } })
    run.child.kill('SIGTERM')
    expect(await exitOf(run.child)).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })

  test('says what to give it', async () => {
    expect(await assent(['run'])).toMatchObject({ code: 2, out: '' })
    const { out } = await assent(['run', '--help'])
    for (const word of ['--name', '--trusted', '--port', 'Examples']) expect(out).toContain(word)
  })
})
