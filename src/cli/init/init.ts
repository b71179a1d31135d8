import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import { initClients } from './clients.ts'
import type { InitOptions } from './run-init.ts'

const examples = `
Finds the MCP servers in the config files of your clients, and puts \`assent run\` in front of the command of each. Shows
what would change and asks before it changes anything. A copy of each file is kept, and --undo puts it back.

The settings are written to ~/.config/assent/assent.yaml if there are none. They begin in the mode watch: every call runs,
and the audit says what would have been asked. After some days, \`assent report\` proposes rules.

Clients: ${initClients.map(({ id }) => id).join(', ')}

Examples:
  assent init                         every client that is found
  assent init --dry-run               show what would change, and change nothing
  assent init --client codex cursor   these clients only
  assent init --mode enforce          ask about every call from the start
  assent init --undo                  put everything back`

/** `assent init`: puts Assent in front of the servers in the config files of MCP clients. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('put Assent in front of the servers in the config files of your MCP clients')
    .option('--client <names...>', 'only these clients')
    .option('--project', 'also the files of the project in this folder, such as .mcp.json')
    .option('--mode <mode>', 'the mode of new settings: watch or enforce', modeOf, 'watch')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'change the files without asking')
    .option('--undo', 'put the files back as they were')
    .addHelpText('after', examples)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<InitOptions>()
      const { init, undo } = await import('./run-init.ts')
      await (options.undo ? undo(options) : init(options))
    })
}

function modeOf(text: string): InitOptions['mode'] {
  if (text === 'watch' || text === 'enforce') return text
  throw new BadArgument(`--mode is watch or enforce, not ${text}.`)
}
