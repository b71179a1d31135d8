import type { Command } from 'commander'
import type { Grant, GrantId } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import type { Assent } from '../../assent.ts'
import { parseParticipantId } from '../../participant/participant.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { withStore } from '../with-assent.ts'

interface ListOptions {
  readonly participant?: string
  readonly all?: true
  readonly json?: true
}

/** `assent grants`: lists and revokes lasting permissions and denials. */
export function addGrantsCommands(program: Command): void {
  const grants = program.command('grants').description('list and revoke lasting permissions and denials')

  grants
    .command('list', { isDefault: true })
    .description('list what is allowed or denied without asking again (the default)')
    .option('--participant <participant>', 'only those for the calls of this participant: "local", or subject@issuer')
    .option('--all', 'also those that were revoked or have expired')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', '\nExamples:\n  assent grants\n  assent grants list --all --json')
    .action(async ({ participant, all, json }: ListOptions, command: Command) => {
      const { found, now } = await withStore(command, async (assent) => ({
        found: await read(assent, participant),
        now: assent.clock.now(),
      }))
      const shown = found.filter((grant) => all || isInForce(grant, now))
      if (json)
        return print(JSON.stringify(shown.map((grant) => ({ ...grant, sentence: grantSentence(grant, { now }) }))))
      if (shown.length === 0) return print('Nothing is lastingly allowed or denied.')
      for (const grant of shown) print(`${grant.id}${whose(grant)}\n  ${grantSentence(grant, { now })}`)
    })

  grants
    .command('revoke <id>')
    .description('revoke a permission or denial; from then on people are asked again')
    .addHelpText('after', '\nExample:\n  assent grants revoke grant-3f2a…')
    .action(async (id: string, _, command: Command) => {
      const revoked = await withStore(command, async (assent) => {
        const isListed = (await read(assent)).some((grant) => grant.id === id)
        const grant = isListed ? await assent.approvals.revoke(id as GrantId, 'operator') : undefined
        return grant && grantSentence(grant, { now: assent.clock.now() })
      })
      if (revoked !== undefined) return print(revoked)
      complain('No permission or denial has this id. See: assent grants')
      process.exitCode = exitCodes.no
    })
}

const atOnce = 500

async function read({ approvals }: Assent, participant?: string): Promise<Grant[]> {
  const whose = participant === undefined ? undefined : parseParticipantId(participant)
  const all: Grant[] = []
  for (;;) {
    const after = all.at(-1)?.id
    const page = whose ? await approvals.list(whose, atOnce, after) : await approvals.listAll(atOnce, after)
    all.push(...page)
    // A pause is kept as a grant for everybody, and has its own commands.
    if (page.length < atOnce) return all.filter((grant) => grant.participant !== '*')
  }
}

function isInForce({ revoked, expiresAt }: Grant, now: Date): boolean {
  return revoked === undefined && (expiresAt === undefined || now < expiresAt)
}

function whose({ participant }: Grant): string {
  return participant === 'local' ? '' : `  ${participant}`
}
