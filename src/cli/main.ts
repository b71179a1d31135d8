#!/usr/bin/env node
import { Command, Option } from 'commander'
import { addAuditCommands } from './audit.ts'
import { addCallCommand } from './call.ts'
import { addConnectionsCommands } from './connections.ts'
import { addDemoToolsCommand } from './demo/demo.ts'
import { addDoctorCommand } from './doctor.ts'
import { runningCommand } from './errors.ts'
import { addForgetCommand } from './forget.ts'
import { addGrantsCommands } from './grants.ts'
import { addInboxCommands } from './inbox.ts'
import { addKeysCommands } from './keys.ts'
import { addOpenCommand } from './open.ts'
import { addPauseCommands } from './pause.ts'
import { addPolicyCommands } from './policy.ts'
import { addRunCommand } from './run.ts'
import { addServeCommand } from './serve.ts'
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
