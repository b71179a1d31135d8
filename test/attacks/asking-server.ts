import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { type Assent, participantId } from '../../src/index.ts'
import { type AssentServerOptions, type Asks, createAssentServer } from '../../src/server/index.ts'

/** What the tools did, in order. */
export type Deeds = string[]

export interface AskingServer {
  readonly url: URL
  readonly deeds: Deeds
  /** What went wrong while serving. */
  readonly errors: Error[]
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

/** Tools, a prompt and a resource that ask and then do something that must not be done by mistake. */
export async function askingServer(
  assent: Assent,
  options: Partial<AssentServerOptions> = {},
  withLogin = true,
): Promise<AskingServer> {
  const deeds: Deeds = []
  const errors: Error[] = []
  const asking = createAssentServer({ ...assent, ...(withLogin && { login }) }, { name: 'deployer', ...options })

  async function deploy({ env }: { env: string }, ask: Asks) {
    const { ticket } = await ask.form('Which ticket?', z.object({ ticket: z.string() }), { key: 'ticket' })
    await ask.confirm(`Deploy ${ticket} to ${env}?`, { key: 'sure' })
    const run = await ask.once('deploy', () => deeds.push(`deploy ${ticket} to ${env}`))
    return say(`run ${run}: deployed ${ticket} to ${env}`)
  }

  const serving = asking.http(
    () => {
      const server = asking.server({ name: 'deployer', version: '1.0.0' })
      server.registerTool('deploy', target, asking.tool(deploy))
      server.registerTool('deploy-too', target, asking.tool(deploy))
      server.registerTool(
        'wipe',
        target,
        asking.tool(async ({ env }: { env: string }, ask) => {
          await ask.confirm(`Wipe ${env}?`, { key: 'sure' })
          deeds.push(`wipe ${env}`)
          return say(`wiped ${env}`)
        }),
      )
      server.registerTool(
        'wipe-on-page',
        target,
        asking.tool(async ({ env }: { env: string }, ask) => {
          await ask.confirm(`Wipe ${env}?`, { key: 'sure', answer: 'page' })
          deeds.push(`wipe ${env}`)
          return say(`wiped ${env}`)
        }),
      )
      server.registerTool(
        'rename',
        target,
        asking.tool(async ({ env }: { env: string }, ask) => {
          const names: string[] = []
          for (let n = 1; n <= 6; n++) {
            const { name } = await ask.form(`Name ${n}?`, z.object({ name: z.string() }), { key: `name-${n}` })
            names.push(name)
          }
          return say(`${env} is now ${names.join(' ')}`)
        }),
      )
      server.registerTool(
        'connect',
        target,
        asking.tool(async ({ env }: { env: string }, ask) => {
          const secret = await ask.secret(`The key of ${env}?`, { key: 'key' })
          // Remembered, and so kept: sealed.
          await ask.once('log-in', () => secret)
          return say(`a key of ${secret.length} characters`)
        }),
      )
      server.registerPrompt(
        'deploy',
        { argsSchema: z.object({ env: z.string() }) },
        asking.prompt(async ({ env }: { env: string }, ask) => {
          const { ticket } = await ask.form('Which ticket?', z.object({ ticket: z.string() }), { key: 'ticket' })
          deeds.push(`prompt ${ticket} ${env}`)
          return { messages: [{ role: 'user', content: { type: 'text', text: ticket } }] }
        }),
      )
      server.registerResource(
        'log',
        'log://deploys',
        {},
        asking.resource(async (uri, ask) => {
          const { ticket } = await ask.form('Which ticket?', z.object({ ticket: z.string() }), { key: 'ticket' })
          deeds.push(`read ${ticket}`)
          return { contents: [{ uri: uri.href, text: ticket }] }
        }),
      )
      return server
    },
    { onError: (error) => errors.push(error) },
  )

  const server = createServer(serving.node)
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
