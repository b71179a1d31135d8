import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Head } from '../../audit/event.ts'
import { readHeads } from '../../audit/export.ts'
import { BadArgument } from '../../base/errors.ts'
import { exitCodes, whyUnreadable } from '../errors.ts'
import { print } from '../print.ts'
import { withStore } from '../with-assent.ts'

const examples = `
Examples:
  assent audit verify
  assent audit export > audit.jsonl          keep this where Assent cannot write
  assent audit verify --heads audit.jsonl    and later verify against it

Exit codes: 0 the audit is intact; 1 it is not.`

/** `assent audit`: verifies and exports the audit. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('verify and export the audit')

  audit
    .command('verify')
    .description('check that no event was changed, removed or reordered')
    .option('--heads <export>', 'an earlier export, which also shows events that were cut off since')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', examples)
    .action(async ({ heads, json }: { heads?: string; json?: true }, command: Command) => {
      const known = heads === undefined ? undefined : await headsIn(heads)
      const report = await withStore(command, (assent) => assent.verifyAudit(known))
      if (report.found > 0) process.exitCode = exitCodes.no
      if (json) return print(JSON.stringify(report))
      for (const { chain, seq, message } of report.findings) print(`${chain} event ${seq}: ${message}`)
      const chains = report.chains === 1 ? '1 chain' : `${report.chains} chains`
      const events = `${report.events} events in ${chains}`
      print(report.found === 0 ? `The audit is intact: ${events}.` : `${report.found} problems in ${events}.`)
    })

  audit
    .command('export')
    .description('print every event as a line of JSON, and then the end of each chain')
    .addHelpText('after', '\nExample:\n  assent audit export > audit.jsonl')
    .action(async (_, command: Command) => {
      await withStore(command, (assent) => pipeline(assent.exportAudit(), process.stdout, { end: false }))
    })
}

async function headsIn(path: string): Promise<Head[]> {
  const lines = createInterface({ input: createReadStream(path) })
  try {
    return await readHeads(lines)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || !('syscall' in (error as object))) throw error
    throw new BadArgument(`${path} cannot be read: ${whyUnreadable(error)}.`, { cause: error })
  }
}
