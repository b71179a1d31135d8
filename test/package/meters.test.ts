import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { declaredTwice, filesPerFolder, longestChain, readSources } from './meters.ts'

const sources = readSources()

/** Numbers that tell how hard the code base is to find one's way in. Each is printed, and has a limit. */
describe('the meters of the code base', () => {
  test('no folder has more than 15 files at its top', () => {
    const full = [...filesPerFolder(sources)].sort(([, one], [, other]) => other - one)
    say(
      `largest folders: ${full
        .slice(0, 3)
        .map(([folder, count]) => `${folder} ${count}`)
        .join(', ')}`,
    )
    expect(full.filter(([, count]) => count > 15)).toEqual([])
  })

  test('no function has more than five parameters', () => {
    expect(sources.flatMap(({ path, wide }) => wide.map((name) => `${path} ${name}`))).toEqual([])
  })

  test('no chain of imports is longer than 18 files', () => {
    const chain = longestChain(sources)
    say(`longest import chain: ${chain.length}`)
    expect(chain.length, chain.join('\n')).toBeLessThanOrEqual(18)
  })

  test('at most 15 exported names are declared in two files', () => {
    const twice = declaredTwice(sources)
    say(`exported names declared twice: ${twice.size}`)
    expect(twice.size, [...twice].map(([name, paths]) => `${name}: ${paths.join(' ')}`).join('\n')).toBeLessThanOrEqual(
      15,
    )
  })

  test('an allowed call at /mcp runs through at most 60 files, an approval in the inbox through 125', async () => {
    const program = new URL('programs/executed-files.ts', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program])
    const { allowed, approved } = JSON.parse(stdout) as { allowed: string[]; approved: string[] }
    say(`files executed: ${allowed.length} for an allowed call, ${approved.length} for an approval in the inbox`)
    expect(allowed).toContain('call/walk.ts')
    expect(approved).toContain('elicitation/answering/answer.ts')
    expect(allowed.length, allowed.join('\n')).toBeLessThanOrEqual(60)
    expect(approved.length, approved.join('\n')).toBeLessThanOrEqual(125)
  }, 120_000)
})

function say(line: string): void {
  process.stdout.write(`meter: ${line}\n`)
}
