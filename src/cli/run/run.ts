import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import { portNumber } from '../serve/port-number.ts'
import type { RunOptions } from './run-server.ts'

const examples = `
For the config file of an MCP client: put \`assent run --\` in front of the command that starts a server. Your policy then
decides on every call of its tools, you are asked where the policy says so, and each call is in the audit.

Examples:
  assent run -- npx -y @modelcontextprotocol/server-filesystem /data
  assent run --config team.yaml --name files -- ./server

Without a settings file in this folder, data is kept in your state folder (~/.local/state/assent). All such processes
share it. One of them serves the pages; when it ends, another one takes over. Messages go to standard error.`

/** `assent run`: the gateway as a stdio server in front of one other server. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .argument('<command...>', 'the command line of the server, after --')
    .description('run one stdio server behind Assent, for the config file of an MCP client')
    .option('--name <id>', 'the name of the server on pages and in rules (default: taken from the command)')
    .option(
      '--port <number>',
      'the port of the pages (default: the one in `listen`, or 4181 without a settings file)',
      portNumber,
    )
    .option('--trusted', 'trust the annotations of its tools')
    .addHelpText('after', examples)
    .action(async (words: string[], options: RunOptions, command: Command) => {
      if (words[0] === undefined)
        throw new BadArgument('Write the command line of a server after --, such as: assent run -- npx -y some-server')
      const { runServer } = await import('./run-server.ts')
      await runServer(words as [string, ...string[]], options, command)
    })
}
