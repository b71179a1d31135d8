#!/usr/bin/env node
import { Command, Option } from 'commander'
import { addAuditCommands } from './audit.ts'
import { addCallCommand } from './call.ts'
import { runningCommand } from './errors.ts'
import { addForgetCommand } from './forget.ts'
import { addKeysCommands } from './keys.ts'
import { addServeCommand } from './serve.ts'
import { version } from './version.ts'

const program = new Command('assent')
  .description("Puts a person's yes between an AI agent and the tools it calls.")
  .version(version, '-V, --version')
  .addOption(
    new Option('--store <address>', 'where everything is kept: memory:, sqlite:<path> or postgres://…')
      .env('ASSENT_STORE')
      .default('sqlite:.assent/assent.db'),
  )
  .showHelpAfterError('Try: assent --help')
  .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
  .exitOverride()

addServeCommand(program)
addCallCommand(program)
addKeysCommands(program)
addAuditCommands(program)
addForgetCommand(program)

await runningCommand(() => program.parseAsync())
