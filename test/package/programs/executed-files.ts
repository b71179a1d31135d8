import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createGateway } from '../../../src/gateway/index.ts'
import { createAssent, type ElicitationId, localParticipant } from '../../../src/index.ts'

/**
 * Counts the files of src/ in which something runs for one call: one that policy allows, at /mcp, and one that a person
 * approves in the inbox. Prints both lists as JSON. Everything is warm: what runs once at the start does not count.
 */
const folder = mkdtempSync(join(tmpdir(), 'assent-meters-'))
const upstream = createMcpHandler(() => {
  const server = new McpServer({ name: 'up', version: '1' })
  for (const name of ['echo', 'write']) {
    server.registerTool(name, {}, async () => ({ content: [{ type: 'text', text: 'done' }] }))
  }
  return server
})
const up = await listening(toNodeHandler(upstream) as RequestListener)
const assent = await createAssent({
  store: `sqlite:${join(folder, 'assent.db')}`,
  policy: { default: 'ask', fallback: 'inbox', rules: [{ tool: 'echo', decide: 'allow' }] } as never,
  publicUrl: 'http://127.0.0.1',
  // What a timer does is no part of a call.
  clocks: { counts: '1h' },
} as never)
const gateway = createGateway({ assent, servers: { up: { url: `${up}/mcp` } } })
const at = await listening((request, response) => {
  if (!gateway.handle(request, response)) response.writeHead(404).end()
})
const session = new Session()
session.connect()
await session.post('Profiler.enable')

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'meters', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const inInbox = { participant: localParticipant, groups: [], via: 'page' } as const

await allowed()
await approved()
const counted = {
  allowed: await executedBy(allowed),
  approved: await executedBy(approved),
}
process.stdout.write(`${JSON.stringify(counted)}\n`)
rmSync(folder, { recursive: true, force: true })
process.exit()

/** Files in which something runs each time. What a timer does meanwhile is no part of a call, and happens in some runs only. */
async function executedBy(deed: () => Promise<void>): Promise<string[]> {
  const runs: string[][] = []
  for (let run = 0; run < 5; run += 1) runs.push(await executedOnce(deed))
  const [first = [], ...others] = runs
  return first.filter((file) => others.every((files) => files.includes(file)))
}

async function executedOnce(deed: () => Promise<void>): Promise<string[]> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await deed()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result
    .filter(
      ({ url, functions }) => url.includes('/src/') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url.slice(url.indexOf('/src/') + '/src/'.length))
    .sort()
}

async function allowed(): Promise<void> {
  const text = await call('up__echo')
  if (text !== 'done') throw new Error(`The call was not allowed: ${text}`)
}

/** The person says yes in the inbox while the call waits. What draws the inbox and its pages does not count. */
async function approved(): Promise<void> {
  const asking = new Promise<ElicitationId>((resolve) => {
    const stop = assent.events.listen((news) => {
      if (news.kind !== 'asked') return
      stop()
      resolve(news.elicitation.id)
    })
  })
  const calling = call('up__write')
  const id = await asking
  const answered = await assent.answer(id, inInbox, { action: 'accept', content: { choice: 'allow_once' } })
  if (answered.kind !== 'kept') throw new Error(`The yes was not taken: ${JSON.stringify(answered)}`)
  const text = await calling
  if (text !== 'done') throw new Error(`The call did not run: ${text}`)
}

async function call(name: string): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: meta } }
  const reply = await fetch(`${at}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
  const text = await reply.text()
  const json = text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '{}')
  return JSON.parse(json).result?.content?.[0]?.text ?? text
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
