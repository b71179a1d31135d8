import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { JoinedSpace, joinSpace } from '../../agent/join-space.ts'
import { isPlainObject } from '../../base/json.ts'
import { version } from '../version.ts'
import type { DemoSpace } from './space.ts'

/** agent-a as a server: its tool calls the tool of agent-b in the space. Runs until its client disconnects. */
export async function serveDemoAgents(space: DemoSpace, joins: typeof joinSpace): Promise<void> {
  const target = z.enum(['production', 'staging', 'development'])
  // They join when they are first needed: the space is served by then.
  let joined: Promise<readonly JoinedSpace[]> | undefined
  const serving = serveStdio(() => {
    const server = new McpServer({ name: 'agents', version })
    server.registerTool(
      'deploy',
      { description: 'Lets agent-a call deploy of agent-b, which you must allow', inputSchema: z.object({ target }) },
      async (args) => {
        joined ??= join(space, joins, { inputSchema: z.object({ target }) })
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
  joins: typeof joinSpace,
  tool: { inputSchema: unknown },
): Promise<readonly JoinedSpace[]> {
  const [a, b] = await Promise.all([joins({ url, token: tokenA }), joins({ url, token: tokenB })])
  const run = ({ target }: { target: string }) => `Deployed to ${target}.`
  await b.serveTools({ deploy: { ...tool, description: 'Deploys the current version', run } })
  return [a, b]
}

/** The result that agent-a got for its call. */
async function deploy(a: JoinedSpace, target: string): Promise<string> {
  const { content, _meta } = await a.call('agent-b', 'deploy', { target })
  const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const approval = _meta?.['assent/approval']
  const yes = isPlainObject(approval) ? [`Approved by ${approval.approvedBy}, by way of: ${approval.via}.`] : []
  return ['agent-b answered agent-a:', ...words, ...yes].join('\n')
}
