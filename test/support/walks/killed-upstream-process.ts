import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { keepConnections } from '../server/keep-connections.ts'

/** A server over HTTP, to be killed. It writes down each run before it does it, so that nobody can run twice unseen. */
const [era, port = '0', journal = ''] = process.argv.slice(2)
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const ran = (what: string) => appendFileSync(journal, `${what}\n`)
const form = { type: 'object' as const, properties: { word: { type: 'string' as const } }, required: ['word'] }

async function work(id: string) {
  ran(id)
  if (id.startsWith('slow')) await new Promise(() => {})
  return say(`did ${id}`)
}

function answered(id: string, given: { action: string; content?: Record<string, unknown> | undefined }) {
  if (given.action !== 'accept') return say(`${id}: ${given.action}`)
  ran(`${id} ${given.content?.word}`)
  return say(`${id}: ${given.content?.word}`)
}

function oldTools(mcp: OldServer): void {
  mcp.registerTool('work', { inputSchema: { id: z3.string() } }, ({ id }) => work(id))
  mcp.registerTool('ask', { inputSchema: { id: z3.string() } }, async ({ id }) => {
    const given = await mcp.server.elicitInput({ message: `Which word for ${id}?`, requestedSchema: form })
    return answered(id, given)
  })
}

function newTools(mcp: McpServer): void {
  const inputSchema = z.object({ id: z.string() })
  mcp.registerTool('work', { inputSchema }, ({ id }) => work(id))
  mcp.registerTool('ask', { inputSchema }, ({ id }, { mcpReq }) => {
    const given = mcpReq.inputResponses?.word as Parameters<typeof answered>[1] | undefined
    if (given !== undefined) return answered(id, given)
    const params = { mode: 'form', message: `Which word for ${id}?`, requestedSchema: form }
    return inputRequired({ inputRequests: { word: { method: 'elicitation/create', params } as never } })
  })
}

function old(): RequestListener {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  return async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? transports.get(id) : undefined
    if (known !== undefined) return known.handleRequest(request, response)
    if (id !== undefined) return response.writeHead(404).end()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (made) => void transports.set(made, transport),
    })
    const server = new OldServer({ name: 'old', version: '1.0.0' })
    oldTools(server)
    await server.connect(transport as never)
    await transport.handleRequest(request, response)
  }
}

function modern(): RequestListener {
  const make = () => {
    const server = new McpServer({ name: 'new', version: '1.0.0' })
    newTools(server)
    return server
  }
  return toNodeHandler(createMcpHandler(make, { legacy: 'reject' })) as never
}

const server = createServer(keepConnections, era === '2025' ? old() : modern())
server.listen(Number(port), '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
