import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport as OldHttp } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, type McpHttpHandler, McpServer, type ServerNotifier } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/index.ts'
import type { UpstreamServer } from '../../../src/gateway/options.ts'
import type { HttpSettings, StdioSettings, UpstreamLimits } from '../../../src/gateway/upstream/options.ts'
import type { Assent, AssentOptions } from '../../../src/index.ts'
import type { AskedClient, Connect, ConnectOptions } from '../asking/asking-clients.ts'
import { anAssent } from '../assents.ts'
import { compiled } from '../programs.ts'
import { keepConnections } from '../server/keep-connections.ts'
import { listening, login } from '../server/servers.ts'
import { addNewTools } from './new-tools.ts'
import { addOldTools, type Shared } from './old-tools.ts'

/** What stands behind the gateway of a test. */
export type Upstreams = Record<
  string,
  (Omit<StdioSettings, 'name'> | Omit<HttpSettings, 'name'>) & Partial<Pick<UpstreamServer, 'trusted' | 'provider'>>
>

export interface Gated {
  readonly assent: Assent
  readonly gateway: Gateway
  /** All upstreams joined. */
  readonly url: URL
  connect(how: Connect, options?: ConnectOptions & { token?: string; only?: string }): Promise<AskedClient>
}

export interface GatedOptions extends Partial<GatewayOptions> {
  readonly assentOptions?: AssentOptions
  /** Tokens are names, and each speaks for the person and the client of that name: `alice/phone`. */
  readonly withLogin?: boolean
  readonly upstreamLimits?: Partial<UpstreamLimits>
}

/** A gateway over real HTTP in front of real upstreams; everything ends with the test. */
export async function gated(
  upstreams: Upstreams,
  { assentOptions = {}, withLogin = false, upstreamLimits = {}, ...options }: GatedOptions = {},
): Promise<Gated> {
  const assent = await anAssent({ policy: { default: 'allow', fallback: 'inbox' }, ...assentOptions })
  const gateway = createGateway({
    assent: withLogin ? { ...assent, login } : assent,
    servers: upstreams as GatewayOptions['servers'],
    upstreamLimits,
    ...options,
  })
  const server = createServer(keepConnections, (request, response) => {
    if (!gateway.handle(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  onTestFinished(async () => {
    await gateway.close()
    server.close().closeAllConnections()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  return {
    assent,
    gateway,
    url,
    async connect(how, { token, only, ...connecting } = {}) {
      const at = only === undefined ? url : new URL(`${url.href}/${only}`)
      const client = await how(token === undefined ? { url: at } : { url: at, token }, connecting)
      onTestFinished(() => client.close())
      return client
    },
  }
}

/** A server of SDK 1.32 over HTTP, with a session for each client. */
export async function oldServer(register: (server: OldServer) => void): Promise<URL> {
  const transports = new Map<string, OldHttp>()
  const server = createServer(keepConnections, async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? transports.get(id) : undefined
    if (known !== undefined) return known.handleRequest(request, response)
    if (id !== undefined) return response.writeHead(404).end()
    const transport = new OldHttp({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (made) => void transports.set(made, transport),
    })
    const made = new OldServer({ name: 'old', version: '1.0.0' })
    register(made)
    await made.connect(transport as never)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

/** A server of the plain SDK 2.4 over HTTP, which speaks 2026-07-28 alone. */
export async function newServer(register: (server: McpServer, notify: () => ServerNotifier) => void): Promise<URL> {
  const handler: McpHttpHandler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'new', version: '1.0.0' },
        { capabilities: { logging: {}, resources: { subscribe: true } } },
      )
      register(server, () => handler.notify)
      return server
    },
    { legacy: 'reject' },
  )
  onTestFinished(() => handler.close())
  return listening(toNodeHandler(handler) as never)
}

/** Upstreams that ask in every way, by era and transport. */
export const askingUpstreams: Readonly<
  Record<`${'2025' | '2026'} over ${'HTTP' | 'stdio'}`, (shared?: Shared) => Promise<Upstreams[string]>>
> = {
  '2025 over HTTP': async (shared = { done: new Set(), runs: [] }) => ({
    url: await oldServer((server) => addOldTools(server, shared)),
  }),
  '2026 over HTTP': async (shared = { done: new Set(), runs: [] }) => ({
    url: await newServer((server) => addNewTools(server, shared)),
  }),
  '2025 over stdio': async () => program('asking.ts', '2025'),
  '2026 over stdio': async () => program('asking.ts', '2026'),
}

/** A program of these tests as an upstream. */
export function program(file: string, ...args: string[]): Omit<StdioSettings, 'name'> {
  const path = compiled(new URL(`./programs/${file}`, import.meta.url))
  return { command: process.execPath, args: [path, ...args] }
}
