import { Command, Option } from 'commander'
import { addCallCommand } from './call/call.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addConnectionsCommands } from './commands/connections.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addForgetCommand } from './commands/forget.ts'
import { addGatewayCommand } from './commands/gateway.ts'
import { addGrantsCommands } from './commands/grants.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addOpenCommand } from './commands/open.ts'
import { addPasskeysCommands } from './commands/passkeys.ts'
import { addPauseCommands } from './commands/pause.ts'
import { addDemoAgentsCommand } from './demo/agents.ts'
import { addDemoToolsCommand } from './demo/tools-command.ts'
import { addHookCommand } from './hook/hook.ts'
import { addHubCommands } from './hub/hub.ts'
import { addInboxCommands } from './inbox/inbox.ts'
import { addInitCommand } from './init/init.ts'
import { addPolicyCommands } from './policy/policy.ts'
import { addReportCommand } from './report/report.ts'
import { addRunCommand } from './run/run.ts'
import { version } from './version.ts'

/** The command line with all its commands. Nothing runs before it is parsed. */
export function createProgram(): Command {
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
    .showHelpAfterError('Try: assent --help')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .exitOverride()

  addGatewayCommand(program)
  addRunCommand(program)
  addHookCommand(program)
  addInitCommand(program)
  addOpenCommand(program)
  addInboxCommands(program)
  addGrantsCommands(program)
  addPolicyCommands(program)
  addReportCommand(program)
  addPauseCommands(program)
  addCallCommand(program)
  addConnectionsCommands(program)
  addPasskeysCommands(program)
  addKeysCommands(program)
  addAuditCommands(program)
  addHubCommands(program)
  addForgetCommand(program)
  addDoctorCommand(program)
  addDemoToolsCommand(program)
  addDemoAgentsCommand(program)
  return program
}
