import { type Command, Option } from 'commander'
import { print } from '../print.ts'
import { configOf } from '../with-assent.ts'
import type { PolicyTestOptions } from './policy-test.ts'

const examples = `
Nobody is asked, and nothing runs. Grants are read from the store, if there is one.

Examples:
  assent policy test files write_file '{"path": "/etc/hosts"}'
  assent policy test files read_file --as bob@https://login.example.com --group staff
  assent policy test github delete_repo --annotations '{"destructiveHint": true}'
  assent policy test files delete --expect deny          to test a policy

Exit codes: 0 the call would run without asking; 1 it would be asked about or denied.
With --expect: 0 the decision is the expected one; 1 it is not.`

/** `assent policy`: checks the policy, and tries it out on a call. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('check the policy, and try it out')

  policy
    .command('check')
    .description('check the settings file, and list all that is wrong')
    .addHelpText(
      'after',
      '\nExample:\n  assent policy check --config team.yaml\n\nExit codes: 0 the file is valid; 2 it is not.',
    )
    .action(async (_, command: Command) => {
      const config = await configOf(command)
      const { warnOutOfReach } = await import('../config/reach-warnings.ts')
      await warnOutOfReach(config)
      const { rules, mode, default: otherwise, fallback } = config.policy
      const watched = mode === 'watch' ? ' In watch mode it stops no call.' : ''
      const count = rules.length === 1 ? '1 rule' : `${rules.length} rules`
      const where = config.written?.file ?? 'There is no settings file'
      print(`${where}: ${count}; default: ${otherwise}; fallback: ${fallback}.${watched}`)
    })

  policy
    .command('test')
    .argument('<server>')
    .argument('<tool>')
    .argument('[json]', 'the arguments as a JSON object', '{}')
    .description('show how the policy would decide on a call, and why')
    .option('--as <participant>', 'who calls: "local", or subject@issuer', 'local')
    .option('--client <id>', 'the client that calls', 'local')
    .option('--group <name>', 'a group of the caller; may be repeated', (name: string, all: string[] = []) => [
      ...all,
      name,
    ])
    .option('--annotations <json>', 'the annotations of the tool, as a JSON object')
    .option('--trusted', 'trust the annotations of the server (default: as in the settings)')
    .addOption(new Option('--expect <effect>', 'the decision that you expect').choices(['allow', 'ask', 'deny']))
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', examples)
    .action(async (server: string, tool: string, json: string, options: PolicyTestOptions, command: Command) => {
      const { testPolicy } = await import('./policy-test.ts')
      await testPolicy(command, { ...options, server, tool, arguments: json })
    })
}
