import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Head } from '../../audit/event.ts'
import { readHeads } from '../../audit/export.ts'
import { BadArgument } from '../../base/errors.ts'
import { exitCodes } from '../errors.ts'
import { print } from '../print.ts'
import { withStore } from '../with-assent.ts'

/** `assent audit`: what happened, and whether anyone changed the record of it. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('what happened, and whether the record of it is whole')

  audit
    .command('verify')
    .description('find what was changed, removed or reordered')
    .option('--heads <export>', 'an earlier export: finds also what was cut off since')
    .option('--json', 'for scripts')
    .addHelpText('after', '\nExample:\n  assent audit export > audit.jsonl\n  assent audit verify --heads audit.jsonl')
    .action(async ({ heads, json }: { heads?: string; json?: true }, command: Command) => {
      const known = heads === undefined ? undefined : await headsIn(heads)
      const report = await withStore(command, (assent) => assent.verifyAudit(known))
      if (report.found > 0) process.exitCode = exitCodes.no
      if (json) return print(JSON.stringify(report))
      for (const { chain, seq, message } of report.findings) print(`${chain} event ${seq}: ${message}`)
      const events = `${report.events} events in ${report.chains} chains`
      print(report.found === 0 ? `The audit is whole: ${events}.` : `${report.found} findings in ${events}.`)
    })

  audit
    .command('export')
    .description('write every event as a line of JSON, and last the ends of all chains')
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
    throw new BadArgument(`${path} cannot be read.`, { cause: error })
  }
}
