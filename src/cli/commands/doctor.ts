import type { Command } from 'commander'
import { AssentError } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Finding } from '../doctor/finding.ts'
import { exitCodes } from '../errors.ts'
import { print } from '../print.ts'
import { configOf } from '../with-assent.ts'

const help = `
Checks the settings, the approvers that the policy names, the store, its clock and its keys, questions that are stuck, the
audit, the login, the providers, the clock and the pages, starts or reaches every server once, checks the spaces of
the hub, and lists the clients that are asked in a way of their own. It opens the store as a gateway does, and writes one audit event.

Examples:
  assent doctor
  assent doctor --config team.yaml --json

Exit codes: 0 no errors, though there may be warnings; 1 errors.`

/** `assent doctor`: checks an installation, and says how to fix what is wrong. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check this installation, and say how to fix what is wrong')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', help)
    .action(async ({ json }: { json?: true }, command: Command) => {
      const findings = await examine(command)
      if (findings.some(({ status }) => status === 'error')) process.exitCode = exitCodes.no
      if (json) return print(JSON.stringify(findings))
      for (const { check, status, words } of findings) print(`${marks[status]} ${check}: ${words}`)
      print(summary(findings))
    })
}

const marks: Readonly<Record<Finding['status'], string>> = { good: '✓', warning: '!', error: '✗', skipped: '-' }

async function examine(command: Command): Promise<Finding[]> {
  const { good, warning, wrong } = await import('../doctor/finding.ts')
  let config: Config
  try {
    config = await configOf(command)
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    // Every other check needs the settings.
    return error.message.split('\n').map((line) => wrong('settings', line))
  }
  const { reachWarnings } = await import('../config/reach-warnings.ts')
  const { adoptedNotes, startWarnings } = await import('../config/start-warnings.ts')
  const { checkStore } = await import('../doctor/check-store.ts')
  const { checkNetwork } = await import('../doctor/check-network.ts')
  const { checkServers } = await import('../doctor/check-servers.ts')
  const { checkHub } = await import('../doctor/check-hub.ts')
  const { listClients } = await import('../doctor/check-clients.ts')
  const unreached = (await reachWarnings(config)).map((words) => warning('approvers', words))
  return [
    good(
      'settings',
      config.written?.file ?? 'There is no assent.yaml in this folder, so every setting is its default.',
    ),
    ...adoptedNotes(config).map((words) => good('settings', words)),
    ...startWarnings(config).map((words) => warning('settings', words)),
    ...(unreached.length > 0 ? unreached : [good('approvers', 'Every approver that the policy names can answer.')]),
    ...(await checkStore(config)),
    ...(await checkNetwork(config)),
    ...(await checkServers(config)),
    ...(await checkHub(config)),
    ...listClients(config),
  ]
}

function summary(findings: readonly Finding[]): string {
  const count = (status: Finding['status']) => findings.filter((one) => one.status === status).length
  const [errors, warnings] = [count('error'), count('warning')]
  if (errors + warnings === 0) return 'Nothing is wrong.'
  return `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}
