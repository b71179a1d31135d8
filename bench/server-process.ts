import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  type ElicitResult,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createAssent } from '../src/index.ts'
import { createAssentServer } from '../src/server/index.ts'

const info = { name: 'bench', version: '1.0.0' }
const text = { inputSchema: z.object({ text: z.string() }) }
const branch = z.object({ branch: z.string() })
const branchSchema = {
  type: 'object' as const,
  properties: { branch: { type: 'string' as const } },
  required: ['branch'],
}
const question = 'Which branch?'
const say = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** A server with Assent: every client at one address. */
async function assentHandler(): Promise<RequestListener> {
  const assent = await createAssent({ store: 'memory:' })
  const asking = createAssentServer(assent, { name: 'bench' })
  return asking.http(() => {
    const server = asking.server(info)
    server.registerTool('echo', text, ({ text }) => say(text))
    server.registerTool(
      'may-ask',
      text,
      asking.tool(({ text }: { text: string }) => say(text)),
    )
    server.registerTool(
      'form',
      text,
      asking.tool(async (_: { text: string }, ask) => say((await ask.form(question, branch)).branch)),
    )
    return server
  }).node
}

/** A server with the SDK alone: 2026-07-28 with its handler, 2025 sessions as in its guide. */
function sdkHandler(): RequestListener {
  const codec = createRequestStateCodec<{ asked: true }>({ key: randomBytes(32) })
  const modernServer = () => {
    const server = new McpServer(info, { requestState: { verify: codec.verify } })
    server.registerTool('echo', text, ({ text }) => say(text))
    server.registerTool('may-ask', text, ({ text }) => say(text))
    server.registerTool('form', text, async (_, ctx) => {
      const given = acceptedContent(ctx.mcpReq.inputResponses, 'branch', branch)
      if (given !== undefined) return say(given.branch)
      const requestState = await codec.mint({ asked: true }, ctx)
      const ask = inputRequired.elicit({ message: question, requestedSchema: branch })
      return inputRequired({ inputRequests: { branch: ask }, requestState })
    })
    return server
  }
  const sessionServer = () => {
    const server = new McpServer(info)
    server.registerTool('echo', text, ({ text }) => say(text))
    server.registerTool('may-ask', text, ({ text }) => say(text))
    server.registerTool('form', text, async (_, ctx) => {
      // Not elicitInput, which asks on the GET stream that not every client opens.
      const params = { message: question, requestedSchema: branchSchema }
      const { content } = (await ctx.mcpReq.send({ method: 'elicitation/create', params })) as ElicitResult
      return say(String(content?.branch))
    })
    return server
  }

  // The SDK's types do not support exactOptionalPropertyTypes.
  const modern = toNodeHandler(createMcpHandler(modernServer, { legacy: 'reject' })) as RequestListener
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  async function legacy(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'] as string | undefined
    const known = id === undefined ? undefined : sessions.get(id)
    if (known !== undefined) return known.handleRequest(request, reply)
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
    })
    await sessionServer().connect(transport)
    return transport.handleRequest(request, reply)
  }
  return (request, reply) =>
    void (request.headers['mcp-protocol-version'] === '2026-07-28' ? modern : legacy)(request, reply)
}

const handler = process.argv[2] === 'assent' ? await assentHandler() : sdkHandler()
// Connections stay open while other contenders are measured.
const server = createServer({ keepAliveTimeout: 600_000 }, handler)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => {
  global.gc?.()
  process.send?.(process.cpuUsage())
})
process.on('disconnect', () => process.exit())
