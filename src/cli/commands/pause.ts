import type { Command } from 'commander'
import { localParticipant } from '../../participant/participant.ts'
import { print } from '../print.ts'
import { withStore } from '../with-assent.ts'

/** `assent pause` and `assent resume`: deny everything at once, and decide again. */
export function addPauseCommands(program: Command): void {
  program
    .command('pause')
    .description('deny every tool call from now on, in every process that shares the store')
    .addHelpText(
      'after',
      '\nNo yes given before counts meanwhile, and no call that runs is stopped.\nUntil: assent resume',
    )
    .action(async (_, command: Command) => {
      // Whoever runs the installation has no other name here.
      const isNew = await withStore(command, (assent) => assent.approvals.pause(localParticipant))
      print(isNew ? 'Paused: no tool runs until `assent resume`.' : 'It is paused already.')
    })

  program
    .command('resume')
    .description('let policy and people decide again, after a pause')
    .action(async (_, command: Command) => {
      const isNew = await withStore(command, (assent) => assent.approvals.resume(localParticipant))
      print(isNew ? 'Policy and people decide again.' : 'Nothing was paused.')
    })
}
