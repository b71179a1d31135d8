import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { Assent } from '../../assent.ts'
import { shownText, showText } from '../../base/text/show-text.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { differenceOf, type Line } from '../../definition/difference.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { withAssent } from '../with-assent.ts'
import { type ReadTool, readTools } from './read-tools.ts'

interface Allowing {
  readonly server: string
  readonly names: readonly string[]
  readonly yes?: true
}

/** Shows what is held back, and allows exactly what was shown. */
export async function allowTools(command: Command, { server, names, yes }: Allowing): Promise<void> {
  const isDone = await withAssent(command, async (assent, config) => {
    const [read] = await readTools(assent, config, server)
    if (read?.server.isPinned !== true) {
      return fail(
        `Nothing of ${server} is held back: write pin: true at the server, and new and changed tools wait here.`,
      )
    }
    if (read.problem !== undefined) complain(`${read.server.id}: ${visibleLine(read.problem, 400)}`)
    const held = read.tools.filter((one) => one.held !== undefined)
    const missing = names.find((name) => !held.some(({ known }) => known.tool === name))
    if (missing !== undefined) return fail(`No tool ${visibleLine(missing, 60)} of ${server} is held back.`)
    const wanted = held.filter(({ known }) => names.length === 0 || names.includes(known.tool))
    if (wanted.length === 0) {
      print(`Nothing of ${server} is held back.`)
      return true
    }
    for (const one of wanted) show(one)
    if (yes !== true && !process.stdin.isTTY) {
      return fail('Nothing was allowed: nobody is at the terminal to agree. Use --yes to allow what is shown here.')
    }
    if (yes !== true && !(await confirmed(wanted.length))) return fail('Nothing was allowed.')
    return allowAll(assent, wanted)
  })
  if (!isDone) process.exitCode = exitCodes.no
}

function fail(words: string): false {
  complain(words)
  return false
}

async function allowAll(assent: Assent, wanted: readonly ReadTool[]): Promise<boolean> {
  let isDone = true
  for (const { known } of wanted) {
    const { server, tool, seen } = known
    const ended = await assent.definitions.allow({ server, tool, digest: seen.digest })
    if (ended === 'allowed') print(`Allowed: ${visibleLine(tool, 60)} of ${server}.`)
    else
      isDone = fail(`${visibleLine(tool, 60)} of ${server} changed again meanwhile, and was not allowed. Look again.`)
  }
  return isDone
}

function show({ known, held }: ReadTool): void {
  print(
    `${visibleLine(known.tool, 100)} of ${known.server}: ${held === 'new' ? 'new' : 'changed since it was allowed'}`,
  )
  for (const line of differenceOf(known)) print(lineText(line))
  print('')
}

/** What the server wrote, with hidden characters and look-alikes marked. */
function lineText({ path, before, now }: Line): string {
  const name = shown(path === '' ? 'definition' : path)
  const was = before === undefined ? '' : `\n    was ${shown(before)}`
  const is = now === undefined ? '\n    is gone' : before === undefined ? ` ${shown(now)}` : `\n    is  ${shown(now)}`
  return `  ${name}:${was}${is}`
}

const shown = (text: string) => shownText(showText(text)).replaceAll('\n', ' ')

async function confirmed(count: number): Promise<boolean> {
  const line = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await line.question(
      `Allow ${count === 1 ? 'this definition' : `these ${count} definitions`}? [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    line.close()
  }
}
