import { type Command, Option } from 'commander'
import { print } from '../print.ts'
import { configOf } from '../with-assent.ts'
import type { ReplayOptions } from './replay-policy.ts'
import type { ShowOptions } from './show-policy.ts'
import type { PolicyTestOptions } from './test-policy.ts'

const examples = `
Nobody is asked, and nothing runs. Grants are read from the store, if there is one.

Examples:
  assent policy test files write_file '{"path": "/etc/hosts"}'
  assent policy test files read_file --as bob@https://login.example.com --group staff
  assent policy test github delete_repo --annotations '{"destructiveHint": true}'
  assent policy test files delete --expect deny          to test a policy

Exit codes: 0 the call would run without asking; 1 it would be asked about or denied.
With --expect: 0 the decision is the expected one; 1 it is not.`

const replayExamples = `
The file holds a policy, or settings with one. Nobody is asked, nothing runs, and grants do not count.

Examples:
  assent policy replay draft.yaml
  assent policy replay draft.yaml --since 7d --json

A call whose arguments were not kept can be judged only where no rule with a \`when\` could change its decision. All others
are counted. \`assent report --yaml\` writes a draft to begin with.`

/** `assent policy`: checks the policy, and tries it out on a call. */
export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('check and show the policy, and try it out')

  policy
    .command('check')
    .description('check the settings file, and list all that is wrong')
    .addHelpText(
      'after',
      '\nExample:\n  assent policy check --config team.yaml\n\nExit codes: 0 the file is valid; 2 it is not.',
    )
    .action(async (_, command: Command) => {
      const config = await configOf(command)
      const { warnAboutPolicy } = await import('../config/reach-warnings.ts')
      await warnAboutPolicy(config)
      const { rules, mode, default: otherwise, fallback } = config.policy
      const watched = mode === 'watch' ? ' In watch mode it stops no call.' : ''
      const count = rules.length === 1 ? '1 rule' : `${rules.length} rules`
      const where = config.written?.file ?? 'There is no settings file'
      print(`${where}: ${count}; default: ${otherwise}; fallback: ${fallback}.${watched}`)
    })

  policy
    .command('show')
    .description('print the whole policy, packs included, in the order in which it decides')
    .option('--pack <name>', 'print this pack instead: files, git, database, mail, payments or shell')
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      '\nEach rule has its origin: the line of the settings file, or the pack.\n\nExamples:\n  assent policy show\n  assent policy show --pack git',
    )
    .action(async (options: ShowOptions, command: Command) => {
      const { showPolicy } = await import('./show-policy.ts')
      await showPolicy(command, options)
    })

  policy
    .command('test')
    .argument('<server>')
    .argument('<tool>')
    .argument('[json]', 'the arguments as a JSON object', '{}')
    .description('show how the policy would decide on a call, and why')
    .option('--as <participant>', 'who calls: "local", or subject@issuer', 'local')
    .option('--client <id>', 'the client that calls', 'local')
    .option('--group <name>', 'a group of the caller; may be repeated', gather)
    .option('--agent <id@hub:space>', 'an agent that the call comes through; may be repeated', gather)
    .option('--annotations <json>', 'the annotations of the tool, as a JSON object')
    .option('--trusted', 'trust the annotations of the server (default: as in the settings)')
    .addOption(new Option('--expect <effect>', 'the decision that you expect').choices(['allow', 'ask', 'deny']))
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', examples)
    .action(async (server: string, tool: string, json: string, options: PolicyTestOptions, command: Command) => {
      const { testPolicy } = await import('./test-policy.ts')
      await testPolicy(command, { ...options, server, tool, arguments: json })
    })

  policy
    .command('replay <file>')
    .description('show what another policy would have decided on the calls in the audit')
    .option('--since <time>', 'only calls that are not older than this, such as 7d')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', replayExamples)
    .action(async (file: string, options: ReplayOptions, command: Command) => {
      const { replayPolicy } = await import('./replay-policy.ts')
      await replayPolicy(command, file, options)
    })
}

/** The values of an option that may be repeated. */
function gather(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, value]
}
