import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'

/** What a test does with a client, whichever SDK it comes from. */
export interface TestClient {
  call(name: string, args?: Record<string, unknown>): Promise<string>
  revision(): string | undefined
  sessionId(): string | undefined
  endSession(): Promise<void>
}

export type Connect = (url: URL, token?: string) => Promise<TestClient>

const info = { name: 'tester', version: '1.0.0' }
const capabilities = { elicitation: {} }
const answer = { action: 'accept' as const, content: { name: 'Ada' } }
const request = (token?: string) =>
  token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } }

type Mode = 'legacy' | 'auto' | { pin: string }

const sdk2 =
  (mode: Mode): Connect =>
  async (url, token) => {
    const client = new Client(info, { capabilities, versionNegotiation: { mode } })
    client.setRequestHandler('elicitation/create', async () => answer)
    const transport = new StreamableHTTPClientTransport(url, request(token))
    await client.connect(transport)
    onTestFinished(() => client.close())
    return {
      call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
      revision: () => client.getNegotiatedProtocolVersion(),
      sessionId: () => transport.sessionId,
      endSession: () => transport.terminateSession(),
    }
  }

const sdk1: Connect = async (url, token) => {
  const client = new OldClient(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, async () => answer)
  const transport = new OldTransport(url, request(token))
  // The old SDK's types do not know exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0])
  onTestFinished(() => client.close())
  return {
    call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
    revision: () => transport.protocolVersion,
    sessionId: () => transport.sessionId,
    endSession: () => transport.terminateSession(),
  }
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')
}

/** Every SDK client in use, and the revision it settles on. */
export const clients: { name: string; connect: Connect; revision: string }[] = [
  { name: 'SDK 1.32', connect: sdk1, revision: '2025-11-25' },
  { name: 'SDK 2.4 legacy', connect: sdk2('legacy'), revision: '2025-11-25' },
  { name: 'SDK 2.4 auto', connect: sdk2('auto'), revision: '2026-07-28' },
  { name: 'SDK 2.4 pinned', connect: sdk2({ pin: '2026-07-28' }), revision: '2026-07-28' },
]

export const [oldClient, legacyClient, autoClient, pinnedClient] = [
  sdk1,
  sdk2('legacy'),
  sdk2('auto'),
  sdk2({ pin: '2026-07-28' }),
]
