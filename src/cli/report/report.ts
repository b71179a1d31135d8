import type { Command } from 'commander'
import type { ReportOptions } from './show-report.ts'

const examples = `
What would have been asked and denied is there after some days with \`mode: watch\`, which decides and records but stops
nothing. The proposed rules are made from names and from what people said: read them before you use them.

Examples:
  assent report
  assent report --since 7d
  assent report --yaml > draft.yaml       only the proposed rules, as a policy
  assent policy replay draft.yaml         and what they would have decided`

/** `assent report`: what happened, and which rules would fit it. */
export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description('show what happened to the calls in the audit, and propose rules')
    .option('--since <time>', 'only calls that are not older than this, such as 7d')
    .option('--yaml', 'print the proposed rules only, as a policy')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', examples)
    .action(async (options: ReportOptions, command: Command) => {
      const { showReport } = await import('./show-report.ts')
      await showReport(command, options)
    })
}
