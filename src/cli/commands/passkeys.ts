import type { Command } from 'commander'
import type { Assent } from '../../assent.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { parseParticipantId } from '../../participant/participant.ts'
import type { Passkey } from '../../passkey/passkey.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { withStore } from '../with-assent.ts'

interface ListOptions {
  readonly participant?: string
  readonly json?: true
}

/** `assent passkeys`: lists and revokes the passkeys with which people sign what they allow. */
export function addPasskeysCommands(program: Command): void {
  const passkeys = program.command('passkeys').description('list and revoke the passkeys of people')

  passkeys
    .command('list', { isDefault: true })
    .description('list the passkeys with which people sign what they allow (the default)')
    .option('--participant <participant>', 'only those of this participant: "local", or subject@issuer')
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      '\nPeople make passkeys themselves, at /passkeys.\n\nExamples:\n  assent passkeys\n  assent passkeys list --participant 1234@https://login.example.com --json',
    )
    .action(async ({ participant, json }: ListOptions, command: Command) => {
      const all = await withStore(command, (assent) => read(assent, participant))
      if (json) return print(JSON.stringify(all.map(withoutKey)))
      if (all.length === 0) return print('Nobody has a passkey. People make one on the page /passkeys.')
      for (const line of tableLines(['id', 'participant', 'name', 'kind', 'added', 'last used'], all.map(row)))
        print(line)
    })

  passkeys
    .command('revoke <id>')
    .description('revoke a passkey, for somebody who has lost it; without one, they can make another')
    .addHelpText(
      'after',
      '\nMake sure that it is the person who asks: without a passkey, any browser of theirs can make the next one.\n\nExample:\n  assent passkeys revoke 3f2a9c1e-…',
    )
    .action(async (id: string, _, command: Command) => {
      const end = await withStore(command, async (assent) => {
        const revoked = await assent.passkeys.revokeAsOperator(id)
        return revoked && { revoked, left: (await assent.passkeys.list(revoked.participant)).length }
      })
      if (end === undefined) {
        complain('No passkey has this id. See: assent passkeys')
        process.exitCode = exitCodes.no
        return
      }
      const { revoked, left } = end
      print(`The passkey "${visibleLine(revoked.name, 60)}" of ${visibleLine(revoked.participant, 200)} is revoked.`)
      if (left === 0)
        print('It was their last one: until they make another, they can allow nothing that needs a passkey.')
    })
}

const atOnce = 500

async function read({ passkeys }: Assent, participant?: string): Promise<Passkey[]> {
  if (participant !== undefined) return passkeys.list(parseParticipantId(participant))
  const all: Passkey[] = []
  for (;;) {
    const page = await passkeys.listAll(atOnce, all.at(-1)?.id)
    all.push(...page)
    if (page.length < atOnce) return all
  }
}

function withoutKey({ publicKey: _, credential: __, ...shown }: Passkey) {
  return shown
}

function row({ id, participant, name, kind, createdAt, usedAt }: Passkey): string[] {
  const words = [id, participant, name].map((word) => visibleLine(word, 60))
  return [...words, kind, momentText(createdAt), usedAt === undefined ? 'never' : momentText(usedAt)]
}
