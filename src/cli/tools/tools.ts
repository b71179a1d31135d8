import type { Command } from 'commander'

/** `assent tools`: what servers offer, what a rule says to it, what changed when; and allows what is held back. */
export function addToolsCommands(program: Command): void {
  const tools = program
    .command('tools')
    .description('list what servers offer, what the policy says to it and what changed; allow what is held back')

  tools
    .command('list [server]', { isDefault: true })
    .description('ask every server, or one, for its tools, and list them (the default)')
    .option('--held', 'only tools that are held back')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', '\nExamples:\n  assent tools\n  assent tools list files --held\n  assent tools --json')
    .action(async (server: string | undefined, options: { held?: true; json?: true }, command: Command) => {
      const { listTools } = await import('./list-tools.ts')
      await listTools(command, server, options)
    })

  tools
    .command('allow <server> [tool...]')
    .description('show what is new or changed of the tools that are held back, and allow exactly that')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  assent tools allow files\n  assent tools allow files read_file write_file')
    .action(async (server: string, names: readonly string[], options: { yes?: true }, command: Command) => {
      const { allowTools } = await import('./allow-tools.ts')
      await allowTools(command, { server, names, ...options })
    })
}
