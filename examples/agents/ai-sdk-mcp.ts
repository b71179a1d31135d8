import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Assent } from 'assent'
import { aiSdkTools, createToolGate, withAiSdkPages } from 'assent/agents'

/** The tools of an MCP server. What it asks, forms and pages, is answered in the inbox. */
export async function connect(assent: Assent, url: URL) {
  const gate = createToolGate(assent, { server: 'tickets' })
  const client = await createMCPClient({
    transport: withAiSdkPages(new StreamableHTTPClientTransport(url)),
    capabilities: { elicitation: { form: {}, url: {} } },
  })
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => gate.elicit(params))
  return { client, ...aiSdkTools(gate, await client.tools()) }
}
