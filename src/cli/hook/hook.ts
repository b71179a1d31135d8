import { Argument, type Command } from 'commander'
import { type HookClient, hookClients } from '../../hooks/contracts.ts'

const examples = `
For the hooks of a coding agent: it starts this command before each tool call, and runs the tool only if the answer lets it.
Your policy decides, you are asked where the policy says so, and each decision is in the audit. A gateway that runs with the
same settings is asked; without one this process decides by itself.

No settings file is looked for in the working directory, since the agent may write there. Without --config every setting
has its default, and data is kept in your state folder (~/.local/state/assent).

Examples:
  assent hook claude-code --config /home/me/assent.yaml
  assent hook codex --config /home/me/assent.yaml`

/** `assent hook`: answers one call of a coding agent's hook, by standard input and output. */
export function addHookCommand(program: Command): void {
  program
    .command('hook')
    .addArgument(new Argument('<client>', 'the coding agent that calls').choices(hookClients))
    .description('decide about one tool call of a coding agent, as its hook')
    .addHelpText('after', examples)
    .action(async (client: HookClient, _, command: Command) => {
      const { runHook } = await import('./run-hook.ts')
      await runHook(client, command)
    })
}
