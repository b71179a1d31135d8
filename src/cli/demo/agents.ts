import type { Command } from 'commander'
import type { JoinedSpace } from '../../agent/join-space.ts'
import { isPlainObject } from '../../base/json.ts'
import { version } from '../version.ts'
import { agentsCommand, type DemoSpace, demoSpaceIn } from './space.ts'

/** A hidden command, which the gateway starts as it starts any stdio server: two small agents of the demo's space. */
export function addDemoAgentsCommand(program: Command): void {
  program.command(agentsCommand, { hidden: true }).action(() => serveDemoAgents(demoSpaceIn(process.env)))
}

/** agent-a as a server: its tool calls the tool of agent-b in the space. Runs until its client disconnects. */
async function serveDemoAgents(space: DemoSpace): Promise<void> {
  const [{ McpServer }, { serveStdio }, { z }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
    import('zod'),
  ])
  const target = z.enum(['production', 'staging', 'development'])
  // They join when they are first needed: the space is served by then.
  let joined: Promise<readonly JoinedSpace[]> | undefined
  const serving = serveStdio(() => {
    const server = new McpServer({ name: 'agents', version })
    server.registerTool(
      'deploy',
      { description: 'Lets agent-a call deploy of agent-b, which you must allow', inputSchema: z.object({ target }) },
      async (args) => {
        joined ??= join(space, { inputSchema: z.object({ target }) })
        const [a] = await joined
        return { content: [{ type: 'text', text: await deploy(a as JoinedSpace, args.target) }] }
      },
    )
    return server
  })
  await new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  await serving.close()
  for (const one of (await joined) ?? []) await one.close()
}

async function join(
  { url, tokenA, tokenB }: DemoSpace,
  tool: { inputSchema: unknown },
): Promise<readonly JoinedSpace[]> {
  const { joinSpace } = await import('../../agent/join-space.ts')
  const [a, b] = await Promise.all([joinSpace({ url, token: tokenA }), joinSpace({ url, token: tokenB })])
  const run = ({ target }: { target: string }) => `Deployed to ${target}.`
  await b.serveTools({ deploy: { ...tool, description: 'Deploys the current version', run } })
  return [a, b]
}

/** What agent-a learned of its call. */
async function deploy(a: JoinedSpace, target: string): Promise<string> {
  const { content, _meta } = await a.call('agent-b', 'deploy', { target })
  const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const approval = _meta?.['assent/approval']
  const yes = isPlainObject(approval) ? [`Approved by ${approval.approvedBy}, by way of: ${approval.via}.`] : []
  return ['agent-a heard from agent-b:', ...words, ...yes].join('\n')
}
