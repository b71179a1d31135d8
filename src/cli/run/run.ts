import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import { portNumber } from '../serve/port-number.ts'
import type { RunOptions } from './run-server.ts'

const examples = `
For the config file of an MCP client: put \`assent run --\` in front of the command that starts a server. Every call of
its tools is then decided by your policy, asked about where it says so, and kept in the audit.
Examples:
  assent run -- npx -y @modelcontextprotocol/server-filesystem /data
  assent run --config team.yaml --name files -- ./server

Without settings here everything is kept in your state folder (~/.local/state/assent). Several at once share it, and
one of them serves the pages; when it goes the next takes over. What is not MCP goes to standard error.`

/** `assent run`: the gateway as a stdio server, in front of one command. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .argument('<command...>', 'the server, after --')
    .description("put Assent in front of one stdio server, for a client's config file")
    .option('--name <id>', 'what the server is called on pages and in rules (default: from the command)')
    .option('--port <number>', 'where the pages are served (default: that of `listen`, else 4181)', portNumber)
    .option('--trusted', 'take the server at its word about its own tools')
    .addHelpText('after', examples)
    .action(async (words: string[], options: RunOptions, command: Command) => {
      if (words[0] === undefined) throw new BadArgument('Say which server to run, after --.')
      const { runServer } = await import('./run-server.ts')
      await runServer(words as [string, ...string[]], options, command)
    })
}
