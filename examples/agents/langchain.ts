import { MultiServerMCPClient } from '@langchain/mcp-adapters'

/** The tools behind a gateway of Assent. Calls wait for a yes in the inbox, as policy says. */
export async function connect(url: string) {
  const client = new MultiServerMCPClient({
    // A call may wait for a person, so it gets more time than a tool needs.
    mcpServers: { assent: { transport: 'http', url, defaultToolTimeout: 120_000 } },
    prefixToolNameWithServerName: false,
  })
  return { client, tools: await client.getTools() }
}
