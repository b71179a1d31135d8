import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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

async function aConfig(policy: string): Promise<string> {
  const file = join(await temporaryFolder(), 'assent.yaml')
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

async function connected(connect: Connect, args: string[], env: Record<string, string> = {}): Promise<AskedClient> {
  const client = await connect({ args, env: { ...(process.env as Record<string, string>), ...env } })
  onTestFinished(() => client.close())
  return client
}

/** A raw client: every line that comes, and how to send one. */
function aRun(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ASSENT_KEYS: '', ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk
  })
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    child,
    lines,
    err: () => err,
    send,
    async begin() {
      const clientInfo = { name: 'raw', version: '1' }
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      send({ id: 0, method: 'initialize', params })
      await expect.poll(() => lines.length, { timeout: 15_000 }).toBeGreaterThan(0)
      send({ method: 'notifications/initialized' })
    },
    async call(id: number, name: string): Promise<string> {
      send({ id, method: 'tools/call', params: { name, arguments: {} } })
      const reply = () => lines.map((line) => JSON.parse(line)).find((message) => message.id === id)
      await expect.poll(reply, { timeout: 15_000 }).toBeDefined()
      return reply().result.content[0].text
    },
  }
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
})

describe.each(Object.entries(programs))('what a server of %s says of its lists', (_, program) => {
  test.each([
    ['2025', 'legacy'],
    ['2026', { pin: '2026-07-28' }],
  ] as const)('reaches a client of %s', async (era, mode) => {
    const args = commandOf(['--config', await aConfig('{ default: allow }')], program)
    const client = new Client({ name: 'hearing', version: '1' }, { versionNegotiation: { mode } })
    let heard = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      heard += 1
    })
    const env = process.env as Record<string, string>
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
    onTestFinished(() => client.close())
    if (era === '2026') await client.listen({ toolsListChanged: true })
    // The way to the server is opened in the background.
    const change = async () => {
      await client.callTool({ name: 'change', arguments: {} })
      return heard
    }
    await expect.poll(change, { timeout: 15_000, interval: 100 }).toBeGreaterThan(0)
  })
})

describe('assent run', () => {
  test('decides by the policy of its file as it is now, and says so apart from MCP', async () => {
    const config = await aConfig('{ default: allow }')
    const run = aRun(commandOf(['--config', config], programs['2025']))
    await run.begin()
    expect(await run.call(1, 'pid')).toMatch(/^\d+$/)
    const text = await readFile(config, 'utf8')
    await writeFile(config, text.replace('default: allow', 'default: deny'))
    await expect.poll(run.err, { timeout: 10_000 }).toContain('The policy was read anew')
    expect(run.err()).not.toContain('Other settings changed')
    expect(await run.call(2, 'pid')).toContain('not allowed')
    await writeFile(config, 'version: what')
    await expect.poll(run.err, { timeout: 10_000 }).toContain('The policy stays as it was')
    expect(await run.call(3, 'pid')).toContain('not allowed')
    expect(run.lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(run.lines.map(() => '2.0'))
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
    await expect.poll(health, { timeout: 15_000 }).toBe(200)
    const second = aRun(args, env)
    await second.begin()
    expect((await stat(join(state, 'assent', 'assent.db'))).isFile()).toBe(true)
    const store = `sqlite:${join(state, 'assent', 'assent.db')}`
    expect(second.err()).toContain(`assent open --store ${store} --port ${port}`)

    first.child.kill('SIGKILL')
    await exitOf(first.child)
    await expect.poll(health, { timeout: 15_000 }).toBe(200)
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
    await expect.poll(run.err, { timeout: 10_000 }).toContain(`Another program has http://127.0.0.1:${port}`)
  })

  test.each(Object.entries(programs))(
    'writes nothing but MCP to standard output, and ends with its client and its server of %s',
    async (_, program) => {
      const config = await aConfig('{ default: allow }')
      const run = aRun(commandOf(['--config', config, '--name', 'My Server'], program))
      await run.begin()
      const pid = Number(await run.call(1, 'pid'))
      expect(isAlive(pid)).toBe(true)
      expect(run.err()).toContain('stands in front of my-server')
      expect(run.lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(run.lines.map(() => '2.0'))

      run.child.stdin.end()
      expect(await exitOf(run.child)).toBe(0)
      expect(isAlive(pid)).toBe(false)
    },
  )

  test('ends when it is told to, with a call under way', async () => {
    const run = aRun(commandOf(['--config', await aConfig('{ default: allow }')], programs['2025']))
    await run.begin()
    const pid = Number(await run.call(1, 'pid'))
    run.send({ id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } })
    run.child.kill('SIGTERM')
    expect(await exitOf(run.child)).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })

  test('hands on what the client gives the server, and nothing that is meant for Assent', async () => {
    const args = commandOf(['--config', await aConfig('{ default: allow }')], programs['2025'])
    const run = aRun(args, { NOTES_TOKEN: 'for the server', ASSENT_LOG: 'error' })
    await run.begin()
    const environment = JSON.parse(await run.call(1, 'environment')) as Record<string, string>
    expect(environment.NOTES_TOKEN).toBe('for the server')
    expect(Object.keys(environment).filter((name) => name.startsWith('ASSENT_'))).toEqual([])
  })

  test('says what to give it', async () => {
    expect(await assent(['run'])).toMatchObject({ code: 2, out: '' })
    const { out } = await assent(['run', '--help'])
    for (const word of ['--name', '--trusted', '--port', 'Examples']) expect(out).toContain(word)
  })
})
