#!/usr/bin/env node
import { Command, Option } from 'commander'
import { addCallCommand } from './call/call.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addConnectionsCommands } from './commands/connections.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addForgetCommand } from './commands/forget.ts'
import { addGrantsCommands } from './commands/grants.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addOpenCommand } from './commands/open.ts'
import { addPauseCommands } from './commands/pause.ts'
import { addPolicyCommands } from './commands/policy.ts'
import { addDemoToolsCommand } from './demo/demo.ts'
import { runningCommand } from './errors.ts'
import { addInboxCommands } from './inbox/inbox.ts'
import { addRunCommand } from './run/run.ts'
import { addServeCommand } from './serve/serve.ts'
import { version } from './version.ts'

const program = new Command('assent')
  .description("Puts a person's yes between an AI agent and the tools it calls.")
  .version(version, '-V, --version')
  .addOption(
    new Option(
      '--store <address>',
      'where everything is kept: memory:, sqlite:<path> or postgres://… (wins over the settings)',
    ).env('ASSENT_STORE'),
  )
  .option('--config <file>', 'the settings (default: assent.yaml, assent.yml or assent.json here, if there is one)')
  .showHelpAfterError('Try: assent --help')
  .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
  .exitOverride()

addServeCommand(program)
addRunCommand(program)
addOpenCommand(program)
addInboxCommands(program)
addGrantsCommands(program)
addPolicyCommands(program)
addPauseCommands(program)
addCallCommand(program)
addConnectionsCommands(program)
addKeysCommands(program)
addAuditCommands(program)
addForgetCommand(program)
addDoctorCommand(program)
addDemoToolsCommand(program)

await runningCommand(() => program.parseAsync())
