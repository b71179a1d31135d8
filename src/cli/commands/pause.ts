import type { Command } from 'commander'
import { localParticipant } from '../../participant/participant.ts'
import { print } from '../print.ts'
import { withStore } from '../with-assent.ts'

/** `assent pause` and `assent resume`: deny every call, and decide by policy again. */
export function addPauseCommands(program: Command): void {
  program
    .command('pause')
    .description('deny every tool call until `assent resume`, in every process that shares the store')
    .addHelpText(
      'after',
      '\nEarlier approvals do not count meanwhile. Calls that already run are not stopped.\n\nExample:\n  assent pause',
    )
    .action(async (_, command: Command) => {
      // The audit names the operator as the local person: a command line has no other identity.
      const isNew = await withStore(command, (assent) => assent.approvals.pause(localParticipant))
      print(isNew ? 'Paused: every call is denied until `assent resume`.' : 'Assent is paused already.')
    })

  program
    .command('resume')
    .description('end a pause: policy and people decide again')
    .addHelpText('after', '\nExample:\n  assent resume')
    .action(async (_, command: Command) => {
      const isNew = await withStore(command, (assent) => assent.approvals.resume(localParticipant))
      print(isNew ? 'Resumed: policy and people decide again.' : 'Assent was not paused.')
    })
}
