import { joinSpace } from '../../agent/join-space.ts'
import { mcpSource } from '../../agent/tools/mcp-source.ts'
import { complain, print } from '../print.ts'

interface Bridging {
  readonly url: string
  readonly token: string
  readonly command: string
  readonly args: readonly string[]
}

/** Puts an MCP server into a space: its tools are the agent's, and what it asks goes to the person of the call. */
export async function bridge({ url, token, command, args }: Bridging): Promise<void> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const space = await joinSpace({ url, token })
  const source = mcpSource(async () => new StdioClientTransport({ command, args: [...args], stderr: 'inherit' }))
  await space.serveTools(source)
  print(`${space.id} is in the space. Its tools: ${(await source.list()).map(({ name }) => name).join(', ')}`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    space.onPresence(({ event, reason }) => {
      if (event === 'lost') complain(`The connection was lost (${reason}); trying again.`)
      if (event !== 'ended') return
      complain(`The space ended the connection: ${reason}`)
      resolve()
    })
  })
  await space.close()
}
