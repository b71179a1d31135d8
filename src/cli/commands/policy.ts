import { type Command, Option } from 'commander'
import { print } from '../print.ts'
import { configOf } from '../with-assent.ts'
import type { PolicyTestOptions } from './policy-test.ts'

const examples = `
Nothing is asked and nothing runs. Grants are read from the store, if there is one.
Examples:
  assent policy test files write_file '{"path": "/etc/hosts"}'
  assent policy test files read_file --as bob@https://login.example.com --group staff
  assent policy test github delete_repo --annotations '{"destructiveHint": true}'
  assent policy test files delete --expect deny          for tests of a policy

Exit codes: 0 it would run without anyone being asked; 1 it would be asked about or denied.
With --expect: 0 it is as expected; 1 it is not.`

/** `assent policy`: what the policy says, and whether it can be used. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('what may run, what is asked about, what not')

  policy
    .command('check')
    .description('check the settings, and say all that is wrong')
    .addHelpText('after', '\nExit codes: 0 it can be used; 2 it cannot.')
    .action(async (_, command: Command) => {
      const config = await configOf(command)
      const { warnOutOfReach } = await import('../config/reach-warnings.ts')
      await warnOutOfReach(config)
      const { rules, mode, default: otherwise, fallback } = config.policy
      const watched = mode === 'watch' ? ' It only watches: it stops no call.' : ''
      const count = rules.length === 1 ? '1 rule' : `${rules.length} rules`
      const where = config.written?.file ?? 'There is no settings file'
      print(`${where}: ${count}; what none of them names: ${otherwise}; who cannot be asked: ${fallback}.${watched}`)
    })

  policy
    .command('test')
    .argument('<server>')
    .argument('<tool>')
    .argument('[json]', 'the arguments as a JSON object', '{}')
    .description('what a call would meet, and why, rule by rule')
    .option('--as <participant>', 'who asks: "local", or subject@issuer', 'local')
    .option('--client <id>', 'which client asks', 'local')
    .option('--group <name>', 'a group of the one who asks; may be repeated', (name: string, all: string[] = []) => [
      ...all,
      name,
    ])
    .option('--annotations <json>', 'what the server says of the tool')
    .option('--trusted', 'take the server at its word (default: as in the settings)')
    .addOption(new Option('--expect <effect>', 'what it should be').choices(['allow', 'ask', 'deny']))
    .option('--json', 'for scripts')
    .addHelpText('after', examples)
    .action(async (server: string, tool: string, json: string, options: PolicyTestOptions, command: Command) => {
      const { testPolicy } = await import('./policy-test.ts')
      await testPolicy(command, { ...options, server, tool, arguments: json })
    })
}
