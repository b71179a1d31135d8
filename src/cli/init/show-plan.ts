import { diffLines } from 'diff'
import { unbounded, visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { print } from '../print.ts'
import type { FilePlan } from './plan.ts'

/** Prints what would change in each file, line by line, and what is left as it is. */
export function showPlan(plans: readonly FilePlan[]): void {
  for (const { client, path, before, outcome } of plans) {
    print()
    print(`${client.name}: ${visibleLine(path, 400)}`)
    if ('problem' in outcome) {
      print(`  left as it is: ${outcome.problem}`)
      continue
    }
    for (const { name, why } of outcome.left) print(`  ${visibleLine(name, 80)} is left as it is: ${why}`)
    if (outcome.changed.length > 0)
      for (const line of differenceLines(before.toString('utf8'), outcome.text)) print(`  ${line}`)
    else if (outcome.left.length === 0) print('  has no servers.')
  }
  print()
}

/** The lines that go, with `-`, and those that come, with `+`. */
function differenceLines(before: string, after: string): string[] {
  return diffLines(before, after)
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .replace(/\r?\n$/, '')
        .split(/\r?\n/)
        .map((line) => `${added ? '+' : '-'} ${visibleText(line.replaceAll('\t', '  '), unbounded)}`),
    )
}
