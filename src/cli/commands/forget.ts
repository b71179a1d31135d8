import type { Command } from 'commander'
import { parseParticipantId } from '../../participant/participant.ts'
import { print } from '../print.ts'
import { withAssent } from '../with-assent.ts'

/** `assent forget`: deletes the data of a participant. */
export function addForgetCommand(program: Command): void {
  program
    .command('forget <participant>')
    .description('delete all data of a participant; the audit stays verifiable, and no longer names them')
    .addHelpText('after', '\nExamples:\n  assent forget local\n  assent forget 1234@https://login.example.com')
    .action(async (name: string, _, command: Command) => {
      const participant = parseParticipantId(name)
      const { deletedQuestions, deletedConnections, deletedGrants } = await withAssent(command, (assent) =>
        assent.forget(participant),
      )
      const deleted = `${deletedQuestions} questions, ${deletedConnections} connections and ${deletedGrants} permissions`
      print(`${participant} is forgotten: ${deleted} deleted.`)
    })
}
