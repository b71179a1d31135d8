import type { Command } from 'commander'
import { portNumber } from '../serve/port-number.ts'

const examples = `
Settings are read from assent.yaml, assent.yml or assent.json in this folder. Without such a file, every setting has its
default.

Examples:
  assent                                   at http://127.0.0.1:4180, with its data in .assent/
  assent gateway --config team.yaml
  assent gateway --demo                    with small servers and agents to try`

/** `assent` and `assent gateway`: run the gateway and its pages until a signal stops them. */
export function addGatewayCommand(program: Command): void {
  program
    .command('gateway', { isDefault: true })
    .description('run the gateway and its pages (the default command)')
    .option('--port <number>', 'the port to listen on (overrides `listen`)', portNumber)
    .option(
      '--allow-pasted',
      'let the tools run that alwaysAllow and autoApprove of pasted servers name, where no rule of the policy matches',
    )
    .option('--demo', 'if the settings name no server, start some to try')
    .addHelpText('after', examples)
    .action(async (_, command: Command) => {
      const { serveGateway } = await import('../serve/serve.ts')
      await serveGateway(command)
    })
}
