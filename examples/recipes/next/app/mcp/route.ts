import { createMcpHandler } from 'mcp-handler'
import { z } from 'zod'
import { asking, deploy } from '../../../server.ts'

const handler = createMcpHandler(
  (server) => {
    // Before anything is registered.
    asking.attach(server)
    server.registerTool('deploy', { inputSchema: z.object({ env: z.string() }) }, deploy)
  },
  { serverInfo: { name: 'deploy', version: '1.0.0' } },
)

export { handler as DELETE, handler as GET, handler as POST }
