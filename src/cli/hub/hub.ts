import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import type { SpaceOptions } from '../../hub/options.ts'
import type { Config } from '../config/config.ts'
import { complain, print } from '../print.ts'
import { tableLines } from '../show-table.ts'
import { withAssent } from '../with-assent.ts'

const examples = `
Examples:
  assent hub status
  assent hub participants ops
  assent hub tail ops
  assent hub ticket ops user-1
  AGENT_B_TOKEN=… assent hub bridge --url ws://127.0.0.1:4180/hub/ops --token-env AGENT_B_TOKEN -- npx my-mcp-server`

/** `assent hub`: what the spaces hold, tickets, and MCP servers as agents. */
export function addHubCommands(program: Command): void {
  const hub = program
    .command('hub')
    // Needed by the options of a server's own command line, which `bridge` passes through.
    .enablePositionalOptions()
    .description('spaces in which agents call each other’s tools')
    .addHelpText('after', examples)
  hub
    .command('status')
    .description('list the spaces, and how many requests wait in each')
    .addHelpText('after', '\nExample:\n  assent hub status')
    .action(async (_, command: Command) => {
      await withAssent(command, async (assent, { hub: { spaces } }) => {
        const rows = await Promise.all(
          Object.entries(spaces).map(async ([name, { participants }]) => {
            const open = await assent.store.hub.listOpen(name, mostShown)
            const held = open.filter(({ state }) => state === 'held').length
            return [name, String(Object.keys(participants).length), String(open.length), String(held)]
          }),
        )
        if (rows.length === 0) print('The settings name no space. docs/hub.md shows how to write one.')
        else
          for (const line of tableLines(['SPACE', 'PARTICIPANTS', 'OPEN REQUESTS', 'WAIT FOR A PERSON'], rows))
            print(line)
      })
    })
  hub
    .command('participants <space>')
    .description('list who may join a space')
    .addHelpText('after', '\nExample:\n  assent hub participants ops')
    .action(async (name: string, _, command: Command) => {
      await withAssent(command, async (assent, config) => {
        const { participants } = spaceIn(config, name)
        const received = await assent.store.hub.received(name)
        const rows = Object.entries(participants).map(([id, { kind, for: person = '', asks = 'hub' }]) => [
          id,
          kind,
          person,
          kind === 'human' ? '' : asks,
          received.has(id) ? 'yes' : 'no',
        ])
        for (const line of tableLines(['ID', 'KIND', 'FOR', 'ASKED BY', 'RECEIVED ANYTHING'], rows)) print(line)
      })
    })
  hub
    .command('tail <space>')
    .description('print the last envelopes of a space, oldest first')
    .addHelpText('after', '\nExample:\n  assent hub tail ops --limit 50')
    .option('--limit <number>', 'how many', '20')
    .action(async (name: string, { limit }: { limit: string }, command: Command) => {
      await withAssent(command, async (assent, config) => {
        spaceIn(config, name)
        const kept = await assent.store.hub.history(name, Number(limit) || 20)
        for (const { text } of kept.reverse()) print(text)
      })
    })
  hub
    .command('ticket <space> <participant>')
    .description('print a ticket that lets its holder join a space once, within a minute')
    .addHelpText('after', '\nExample:\n  assent hub ticket ops user-1')
    .action(async (name: string, participant: string, _, command: Command) => {
      const { makeTicket } = await import('../../hub/join/ticket.ts')
      await withAssent(command, async (assent, config) => {
        if (spaceIn(config, name).participants[participant] === undefined) {
          throw new BadArgument(
            `There is no participant "${participant}" in ${name}. \`assent hub participants ${name}\` lists them.`,
          )
        }
        await assent.record({ kind: 'hub-ticket-made', data: { space: name, participant } })
        print(await makeTicket(assent, { space: name, participant }, config.hub.times.ticket))
      })
    })
  hub
    .command('bridge <command> [args...]')
    .description('put an MCP server into a space as an agent')
    .addHelpText(
      'after',
      '\nExample:\n  assent hub bridge --url ws://127.0.0.1:4180/hub/ops --token-env AGENT_B_TOKEN -- npx my-mcp-server',
    )
    .requiredOption('--url <address>', 'the address of the space, such as ws://127.0.0.1:4180/hub/ops')
    .option('--token-env <name>', 'the environment variable that holds the token', 'ASSENT_HUB_TOKEN')
    .passThroughOptions()
    .action(async (server: string, args: string[], { url, tokenEnv }: { url: string; tokenEnv: string }) => {
      const token = process.env[tokenEnv]
      if (token === undefined || token === '') throw new BadArgument(`Set ${tokenEnv} to the token of the agent.`)
      const { [tokenEnv]: _, ...env } = process.env
      await bridge({ url, token, command: server, args, env: env as Record<string, string> })
    })
}

const mostShown = 10_000

function spaceIn({ hub }: Config, name: string): SpaceOptions {
  const space = hub.spaces[name]
  if (space === undefined)
    throw new BadArgument(`There is no space "${name}" in the settings. \`assent hub status\` lists them.`)
  return space
}

interface Bridging {
  readonly url: string
  readonly token: string
  readonly command: string
  readonly args: readonly string[]
  /** The variables of the server: ours, without the token. */
  readonly env: Record<string, string>
}

/** Puts an MCP server into a space: its tools are the agent's, and what it asks goes to the person of the call. */
async function bridge({ url, token, command, args, env }: Bridging): Promise<void> {
  const [{ StdioClientTransport }, { joinSpace }, { mcpSource }] = await Promise.all([
    import('@modelcontextprotocol/client/stdio'),
    import('../../agent/join-space.ts'),
    import('../../agent/tools/mcp-source.ts'),
  ])
  const space = await joinSpace({ url, token })
  const source = mcpSource(async () => new StdioClientTransport({ command, args: [...args], env, stderr: 'inherit' }))
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
