import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
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

const info = { name: 'bench', version: '1.0.0' }
const text = { inputSchema: z.object({ text: z.string() }) }
const branch = z.object({ branch: z.string() })
const requestedSchema = {
  type: 'object' as const,
  properties: { branch: { type: 'string' as const } },
  required: ['branch'],
}
const message = 'Which branch?'
/** A result of 64 KB. */
const long = 'x'.repeat(65_536)
const say = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** The upstream: a server of the SDK, of one revision. */
const handlers: Record<string, () => RequestListener> = {
  '2026-07-28'() {
    const codec = createRequestStateCodec<{ asked: true }>({ key: randomBytes(32) })
    const server = () => {
      const made = new McpServer(info, { requestState: { verify: codec.verify } })
      made.registerTool('echo', text, ({ text }) => say(text))
      made.registerTool('large', text, () => say(long))
      made.registerTool('form', text, async (_, ctx) => {
        const given = acceptedContent(ctx.mcpReq.inputResponses, 'branch', branch)
        if (given !== undefined) return say(given.branch)
        const requestState = await codec.mint({ asked: true }, ctx)
        const ask = inputRequired.elicit({ message, requestedSchema: branch })
        return inputRequired({ inputRequests: { branch: ask }, requestState })
      })
      return made
    }
    return toNodeHandler(createMcpHandler(server, { legacy: 'reject' })) as RequestListener
  },

  '2025-11-25'() {
    const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
    return async (request, reply) => {
      const id = request.headers['mcp-session-id'] as string | undefined
      const known = id === undefined ? undefined : sessions.get(id)
      if (known !== undefined) return known.handleRequest(request, reply)
      const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (opened) => void sessions.set(opened, transport),
      })
      const server = new McpServer(info)
      server.registerTool('echo', text, ({ text }) => say(text))
      server.registerTool('large', text, () => say(long))
      server.registerTool('form', text, async (_, ctx) => {
        const params = { message, requestedSchema }
        const { content } = (await ctx.mcpReq.send({ method: 'elicitation/create', params })) as ElicitResult
        return say(String(content?.branch))
      })
      await server.connect(transport)
      return transport.handleRequest(request, reply)
    }
  },
}

const server = createServer({ keepAliveTimeout: 600_000 }, handlers[process.argv[2] ?? '']?.())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())
