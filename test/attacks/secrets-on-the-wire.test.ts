import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import type { Assent, ParticipantId } from '../../src/index.ts'
import { onPage } from '../support/asks.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { compiled } from '../support/programs.ts'
import { askingServer, login } from '../support/server/asking-server.ts'
import { temporaryFolder } from '../support/temporary.ts'

const planted = 'sk_live_planted_4eC39HqLyjWDarjtT1zdp7dc'
const spellings = (['utf8', 'base64', 'base64url', 'hex'] as const).map((encoding) =>
  Buffer.from(planted).toString(encoding).replace(/=+$/, ''),
)

function expectNoSecret(place: string, bytes: Buffer | string): void {
  expect(bytes.length, `${place} is empty`).toBeGreaterThan(0)
  for (const spelling of spellings) expect(bytes.includes(spelling), `${place} holds the secret`).toBe(false)
}

/** The person on the page: types it wrong, is not the one who was asked, and then gives it. */
async function giveSecret(assent: Assent, participant: ParticipantId): Promise<void> {
  for (;;) {
    const [open] = await assent.listOpen({ participant, groups: [] }, 1)
    if (open === undefined) {
      await sleep(20)
      continue
    }
    const content = { apiKey: planted }
    const mallory = onPage('mallory@https://login.example.com' as ParticipantId)
    await expect(assent.answer(open.id, mallory, { action: 'accept', content })).rejects.toThrow()
    await assent.answer(open.id, onPage(participant), { action: 'accept', content: { ...content, more: 1 } as never })
    // A client that is about to hold its retry gets there first, now and then.
    await sleep(50)
    await assent.answer(open.id, onPage(participant), { action: 'accept', content })
    return
  }
}

/** Stands between client and server, and keeps every byte that the client receives. */
async function tap(target: URL): Promise<{ url: URL; received(): Buffer }> {
  const chunks: Buffer[] = []
  const server = createServer((incoming, reply) => {
    const { method = 'GET', headers } = incoming
    const passed = request(target, { method, headers: { ...headers, host: target.host } }, (response) => {
      chunks.push(Buffer.from(JSON.stringify([response.statusCode, response.rawHeaders])))
      reply.writeHead(response.statusCode ?? 500, response.headers)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    reply.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return { url, received: () => Buffer.concat(chunks) }
}

async function auditOf(assent: Assent): Promise<string> {
  let all = ''
  for await (const line of assent.exportAudit()) all += line
  return all
}

const wholeStore = async (store: string) => {
  const folder = dirname(store.slice('sqlite:'.length))
  return Promise.all((await readdir(folder)).map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
}

const modes = [
  { revision: '2025-11-25', mode: 'legacy', urlBy: 'push' },
  { revision: '2025-11-25', mode: 'legacy', urlBy: 'error' },
  { revision: '2026-07-28', mode: { pin: '2026-07-28' }, urlBy: 'push' },
] as const

test.each(modes)(
  'a client of $revision that listens to every byte never gets the key that its person gave on a page ($urlBy) (E11-27)',
  async ({ mode, urlBy }) => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const assent = await anAssent({ store })
    const news: unknown[] = []
    assent.events.listen((one) => news.push(one))
    const server = await askingServer(assent, { urlBy, clocks: { hold: '2m' } })
    onTestFinished(() => server.close())
    const { url, received } = await tap(server.url)

    const client = new Client(
      { name: 'tester', version: '1' },
      { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode } },
    )
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept' as const }))
    const headers = { Authorization: 'Bearer alice.desk' }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    onTestFinished(() => client.close())

    const alice = (await login.byToken('alice.desk'))?.participant as ParticipantId
    const call = () => client.callTool({ name: 'connect', arguments: { env: 'test' } })
    const giving = giveSecret(assent, alice)
    const first = await call().catch((error: Error) => error)
    await giving
    // The error told the client to come back when its person is done.
    const result = first instanceof Error ? await call() : first
    expect(result).toMatchObject({ content: [{ text: `a key of ${planted.length} characters` }] })

    expectNoSecret('what the client received', received())
    expectNoSecret('the events', JSON.stringify(news))
    expectNoSecret('the audit', await auditOf(assent))
    expect(server.errors).toEqual([])
    for (const { name, bytes } of await wholeStore(store)) if (bytes.length > 0) expectNoSecret(name, bytes)
  },
)

const info = { name: 'raw', version: '1' }
const capabilities = { elicitation: { form: {}, url: {} } }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
}

test.each(['2025-11-25', '2026-07-28'])(
  'nor does it come over stdio, on either pipe (%s) (E11-27)',
  async (revision) => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const child = spawn(process.execPath, [compiled(new URL('./stdio-process.ts', import.meta.url)), store], {
      env: { ...process.env, ASSENT_KEYS: testKeys },
    })
    onTestFinished(async () => {
      const gone = once(child, 'exit')
      if (child.kill('SIGKILL')) await gone
    })
    const pipes: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => pipes.push(chunk))
    const messages = readMessages(child.stdout, pipes)
    const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = { name: 'connect', arguments: { env: 'test' } }

    if (revision === '2025-11-25') {
      write({ id: 0, method: 'initialize', params: { protocolVersion: revision, capabilities, clientInfo: info } })
      await messages.next(({ id }) => id === 0)
      write({ method: 'notifications/initialized' })
      write({ id: 1, method: 'tools/call', params })
      const { id } = await messages.next(({ method }) => method === 'elicitation/create')
      write({ id, result: { action: 'accept' } })
    } else {
      write({ id: 0, method: 'tools/call', params: { ...params, _meta } })
      const { result } = await messages.next(({ id }) => id === 0)
      const inputResponses = { key: { action: 'accept' } }
      const { requestState } = result as { requestState: string }
      write({ id: 1, method: 'tools/call', params: { ...params, _meta, requestState, inputResponses } })
    }

    const assent = await anAssent({ store })
    await giveSecret(assent, 'local' as ParticipantId)
    const { result } = await messages.next(({ id, method }) => id === 1 && method === undefined)
    expect(result).toMatchObject({ content: [{ text: `a key of ${planted.length} characters` }] })
    expectNoSecret('standard output and error', Buffer.concat(pipes))
    expectNoSecret('the audit', await auditOf(assent))
    for (const { name, bytes } of await wholeStore(store)) if (bytes.length > 0) expectNoSecret(name, bytes)
  },
)

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/** The lines of a pipe as messages; its bytes go to `seen` as well. */
function readMessages(pipe: NodeJS.ReadableStream, seen: Buffer[]) {
  const arrived: Message[] = []
  let pending = ''
  pipe.on('data', (chunk: Buffer) => {
    seen.push(chunk)
    const lines = `${pending}${chunk}`.split('\n')
    pending = lines.pop() ?? ''
    for (const line of lines) arrived.push(JSON.parse(line))
  })
  return {
    async next(isWanted: (message: Message) => boolean): Promise<Message> {
      for (;;) {
        const found = arrived.find(isWanted)
        if (found !== undefined) return found
        await once(pipe, 'data')
      }
    },
  }
}
