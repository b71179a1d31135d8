/** The client that the official suite drives: ours, around the SDK's, with a person who leaves all at its defaults. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type ElicitationUi, withElicitation } from '../../src/client/index.ts'
import { withElicitation as withElicitationV1 } from '../../src/client/v1.ts'

interface Context {
  readonly toolCalls?: { name: string; arguments: Record<string, unknown> }[]
}

const { MCP_CONFORMANCE_PROTOCOL_VERSION: wanted, MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env
const sdk = process.argv.includes('--sdk-1') ? 'old' : 'new'
const url = new URL(process.argv.at(-1) as string)
const { toolCalls }: Context = JSON.parse(given)

const ui: ElicitationUi = {
  form: async () => ({ action: 'accept', content: {} }),
  consentToOpen: async () => 'decline',
  pageRefused: () => {},
  open: async () => {},
  waiting: () => new Promise(() => {}),
}
const info = { name: 'assent', version: '0.1.0' }
// request-metadata looks at what else a client may declare.
const capabilities = { roots: {}, sampling: {} }

const { client, eliciting } = await (sdk === 'old' ? connectOld() : connectNew())
await callAll()
await client.close()

async function connectNew() {
  const mode = wanted === '2025-11-25' ? 'legacy' : 'auto'
  const client = new Client(info, { capabilities, versionNegotiation: { mode } })
  const eliciting = withElicitation(client, ui, { server: 'conformance' })
  await client.connect(new StreamableHTTPClientTransport(url))
  return { client, eliciting }
}

async function connectOld() {
  const client = new OldClient(info)
  const eliciting = withElicitationV1(client, ui, { server: 'conformance' })
  await client.connect(new OldHttp(url) as never)
  return { client: client as unknown as Client, eliciting }
}

/** Lists what is offered and calls all of it; what fails is for the suite to judge. */
async function callAll(): Promise<void> {
  const { tools = [] } = await client.listTools()
  const calls = toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }))
  await Promise.all(calls.map((call) => eliciting.callTool(call).catch(() => undefined)))
  const capable = client.getServerCapabilities()
  if (capable?.resources !== undefined) {
    const { resources } = await client.listResources()
    for (const { uri } of resources) await eliciting.readResource({ uri })
  }
  if (capable?.prompts !== undefined) {
    const { prompts } = await client.listPrompts()
    for (const { name } of prompts) await eliciting.getPrompt({ name })
  }
}

function argumentsFor({
  properties = {},
}: {
  properties?: Record<string, unknown> | undefined
}): Record<string, unknown> {
  const values: Record<string, unknown> = { number: 1, integer: 1, boolean: true, string: 'x' }
  const kindOf = (schema: unknown) => String((schema as { type?: unknown }).type)
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, values[kindOf(schema)]]))
}
