import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ConnectionView } from '../../connection/connections.ts'
import { localParticipant, type ParticipantId, parseParticipantId } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { withAssent } from '../with-assent.ts'

const whose = 'whose accounts: "local", or subject@issuer where people sign in'

/** `assent connections`: lists and disconnects accounts at outside services. */
export function addConnectionsCommands(program: Command): void {
  const connections = program.command('connections').description('list and disconnect accounts at outside services')

  connections
    .command('list', { isDefault: true })
    .description('list the accounts that are connected (the default)')
    .option('--participant <participant>', whose)
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      '\nExamples:\n  assent connections\n  assent connections list --participant 1234@https://login.example.com --json',
    )
    .action(async ({ participant, json }: { participant?: string; json?: true }, command: Command) => {
      const all = await withAssent(command, (assent, config) =>
        assent.connections.list(participantFrom(participant, config)),
      )
      if (json) return print(JSON.stringify(all))
      if (all.length === 0) return print('No account is connected.')
      for (const line of tableLines(['provider', 'account', 'state', 'scopes', 'connected'], all.map(row))) print(line)
    })

  connections
    .command('disconnect <provider>')
    .description('delete the credential of an account, and revoke it at the provider if the provider allows that')
    .option('--participant <participant>', whose)
    .addHelpText(
      'after',
      '\nExamples:\n  assent connections disconnect github\n  assent connections disconnect github --participant 1234@https://login.example.com',
    )
    .action(async (provider: string, { participant }: { participant?: string }, command: Command) => {
      const end = await withAssent(command, (assent, config) =>
        assent.connections.disconnect(participantFrom(participant, config), provider),
      )
      if (end === undefined) {
        complain(`No account at ${visibleLine(provider, 60)} is connected. See: assent connections`)
        process.exitCode = exitCodes.no
        return
      }
      const there = end.revokedThere
        ? 'The provider has revoked the credential.'
        : 'The access could not be revoked at the provider: remove Assent there too, from the apps that may use the account.'
      print(`The account at ${provider} is no longer connected. ${there}`)
    })
}

function participantFrom(given: string | undefined, { auth }: Config): ParticipantId {
  if (given !== undefined) return parseParticipantId(given)
  if (auth === undefined) return localParticipant
  throw new BadArgument('People sign in here. Say whose accounts you mean with --participant subject@issuer.')
}

function row({ provider, account, standing, scopes, connectedAt }: ConnectionView): string[] {
  const words = [provider, account ?? '', states[standing], scopes.join(' ')].map((word) => visibleLine(word, 60))
  return [...words, momentText(connectedAt)]
}

const states: Readonly<Record<ConnectionView['standing'], string>> = {
  good: 'good',
  doubted: 'to be renewed',
  refused: 'must be connected again',
}
