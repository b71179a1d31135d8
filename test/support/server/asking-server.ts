import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Assent, participantId } from '../../../src/index.ts'
import { type Asks, type AssentServerOptions, createAssentServer } from '../../../src/server/index.ts'
import { keepConnections } from './keep-connections.ts'

/** What the tools did, in order. */
export type Deeds = string[]

export interface AskingServer {
  readonly url: URL
  readonly deeds: Deeds
  /** What went wrong while serving. */
  readonly errors: unknown[]
  close(): Promise<void>
}

const issuer = 'https://login.example.com'

/** A bearer token of these tests reads `<subject>.<client>`, and everyone believes it. */
export const login = {
  issuer,
  audience: 'http://127.0.0.1/mcp',
  async byToken(token: string) {
    const [, subject, client] = /^(\w+)\.(\w+)$/.exec(token) ?? []
    if (subject === undefined || client === undefined) return undefined
    return { participant: participantId({ issuer, subject }), client, groups: [], scopes: [] }
  },
}

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const target = { inputSchema: z.object({ env: z.string() }) }
const ticketForm = z.object({ ticket: z.string() })
interface Target {
  readonly env: string
}

interface AskingServerOptions extends Partial<AssentServerOptions> {
  /** Left out: everything there is. A server that is built for each request is cheaper with less. */
  readonly only?: readonly string[]
  /** False: one local person. */
  readonly withLogin?: boolean
}

/** Tools, a prompt and a resource that ask and then do something that must not be done by mistake. */
export async function askingServer(
  assent: Assent,
  { only, withLogin = true, ...options }: AskingServerOptions = {},
): Promise<AskingServer> {
  const deeds: Deeds = []
  const errors: unknown[] = []
  const asking = createAssentServer({ ...assent, ...(withLogin && { login }) }, { name: 'deployer', ...options })

  async function deploy({ env }: Target, ask: Asks) {
    const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
    await ask.confirm(`Deploy ${ticket} to ${env}?`, { key: 'sure' })
    const run = await ask.once('deploy', () => deeds.push(`deploy ${ticket} to ${env}`))
    return say(`run ${run}: deployed ${ticket} to ${env}`)
  }

  function wipe(answer: 'client' | 'page') {
    return async ({ env }: Target, ask: Asks) => {
      await ask.confirm(`Wipe ${env}?`, { key: 'sure', answer })
      deeds.push(`wipe ${env}`)
      return say(`wiped ${env}`)
    }
  }

  const offers: Record<string, (server: McpServer) => unknown> = {
    deploy: (server) => server.registerTool('deploy', target, asking.tool(deploy)),
    'deploy-too': (server) => server.registerTool('deploy-too', target, asking.tool(deploy)),
    wipe: (server) => server.registerTool('wipe', target, asking.tool(wipe('client'))),
    'wipe-on-page': (server) => server.registerTool('wipe-on-page', target, asking.tool(wipe('page'))),
    'wipe-and-name': (server) =>
      server.registerTool(
        'wipe-and-name',
        target,
        asking.tool(async ({ env }: Target, ask) => {
          await ask.confirm(`Wipe ${env}?`, { key: 'sure' })
          const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
          deeds.push(`wipe ${env} for ${ticket}`)
          return say(`wiped ${env}`)
        }),
      ),
    rename: (server) =>
      server.registerTool(
        'rename',
        target,
        asking.tool(async ({ env }: Target, ask) => {
          const names: string[] = []
          for (let n = 1; n <= 6; n++) {
            const { name } = await ask.form(`Name ${n}?`, z.object({ name: z.string() }), { key: `name-${n}` })
            names.push(name)
          }
          return say(`${env} is now ${names.join(' ')}`)
        }),
      ),
    connect: (server) =>
      server.registerTool(
        'connect',
        target,
        asking.tool(async ({ env }: Target, ask) => {
          const secret = await ask.secret(`The key of ${env}?`, { key: 'key' })
          // Remembered, and so kept: sealed.
          await ask.once('log-in', () => secret)
          return say(`a key of ${secret.length} characters`)
        }),
      ),
    'prompt deploy': (server) =>
      server.registerPrompt(
        'deploy',
        { argsSchema: target.inputSchema },
        asking.prompt(async ({ env }: Target, ask) => {
          const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
          deeds.push(`prompt ${ticket} ${env}`)
          return { messages: [{ role: 'user', content: { type: 'text', text: ticket } }] }
        }),
      ),
    'log://deploys': (server) =>
      server.registerResource(
        'log',
        'log://deploys',
        {},
        asking.resource(async (uri, ask) => {
          const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
          deeds.push(`read ${ticket}`)
          return { contents: [{ uri: uri.href, text: ticket }] }
        }),
      ),
  }
  const offered = Object.entries(offers).filter(([name]) => only === undefined || only.includes(name))

  const serving = asking.http(
    () => {
      const server = asking.server({ name: 'deployer', version: '1.0.0' })
      for (const [, offer] of offered) offer(server)
      return server
    },
    { onError: (error) => errors.push(error) },
  )

  const server = createServer(keepConnections, serving.node)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    deeds,
    errors,
    async close() {
      await serving.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
