import { Command, Option } from 'commander'
import { BadArgument } from '../base/errors.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import { version } from './version.ts'

/** Adds some commands to the program. */
type Add = (program: Command) => void

/** The names of commands that one file adds, in the order in which help lists them. */
const commands: readonly (readonly [names: readonly string[], load: () => Promise<Add>])[] = [
  [['gateway'], async () => (await import('./commands/gateway.ts')).addGatewayCommand],
  [['run'], async () => (await import('./run/run.ts')).addRunCommand],
  [['hook'], async () => (await import('./hook/hook.ts')).addHookCommand],
  [['init'], async () => (await import('./init/init.ts')).addInitCommand],
  [['open'], async () => (await import('./commands/open.ts')).addOpenCommand],
  [['inbox'], async () => (await import('./inbox/inbox.ts')).addInboxCommands],
  [['grants'], async () => (await import('./commands/grants.ts')).addGrantsCommands],
  [['policy'], async () => (await import('./policy/policy.ts')).addPolicyCommands],
  [['tools'], async () => (await import('./tools/tools.ts')).addToolsCommands],
  [['report'], async () => (await import('./report/report.ts')).addReportCommand],
  [['pause', 'resume'], async () => (await import('./commands/pause.ts')).addPauseCommands],
  [['call'], async () => (await import('./call/call.ts')).addCallCommand],
  [['connections'], async () => (await import('./commands/connections.ts')).addConnectionsCommands],
  [['passkeys'], async () => (await import('./commands/passkeys.ts')).addPasskeysCommands],
  [['tokens'], async () => (await import('./commands/tokens.ts')).addTokensCommands],
  [['keys'], async () => (await import('./commands/keys.ts')).addKeysCommands],
  [['audit'], async () => (await import('./commands/audit.ts')).addAuditCommands],
  [['hub'], async () => (await import('./hub/hub.ts')).addHubCommands],
  [['forget'], async () => (await import('./commands/forget.ts')).addForgetCommand],
  [['doctor'], async () => (await import('./commands/doctor.ts')).addDoctorCommand],
  [['demo-tools'], async () => (await import('./demo/tools-command.ts')).addDemoToolsCommand],
  [['demo-agents'], async () => (await import('./demo/agents.ts')).addDemoAgentsCommand],
]

/**
 * The command line. Nothing runs before it is parsed. If the first word names a command, only that command is loaded and
 * known: each of the others would make every start longer. Otherwise it has all commands.
 */
export async function createProgram(firstWord?: string): Promise<Command> {
  const program = new Command('assent')
    .description("Puts a person's yes between an AI agent and the tools it calls.")
    .version(version, '-V, --version', 'print the version')
    .addOption(
      new Option(
        '--store <address>',
        'where to keep data: memory:, sqlite:<path>, postgres://… or redis://… (overrides the settings)',
      ).env('ASSENT_STORE'),
    )
    .option('--config <file>', 'the settings file (default: assent.yaml, assent.yml or assent.json in this folder)')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .exitOverride()

  const named = commands.filter(([names]) => firstWord !== undefined && names.includes(firstWord))
  const needed = named.length > 0 || firstWord === '--version' ? named : commands
  for (const add of await Promise.all(needed.map(([, load]) => load()))) add(program)
  nameHelp(program, program.name())
  if (named.length === 0 && firstWord !== undefined) await refuseUnknown(firstWord)
  return program
}

/** Each command names its own help where it is used wrongly. */
function nameHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Try: ${path} --help`)
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`)
}

/** Commander would take a misspelt command for an argument of the default command. */
async function refuseUnknown(word: string): Promise<void> {
  if (word.startsWith('-') || word === 'help') return
  const { nearest } = await import('./config/near-names.ts')
  const near = nearest(
    word,
    commands.flatMap(([names]) => names).filter((name) => !name.startsWith('demo-')),
  )
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  throw new BadArgument(`There is no command ${visibleLine(word, 40)}.${hint} See: assent --help`)
}
