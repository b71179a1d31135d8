import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { hookTrials } from '../../scripts/clients/hooks.ts'
import { trials } from '../../scripts/clients/story.ts'
import { replaceTables, tables } from '../../scripts/clients/table.ts'
import { screenTrials } from '../../scripts/clients/try-screen.ts'

const some = {
  title: 'Some Client',
  version: '1.2.3',
  tried: {
    findings: new Map([
      ['allowed', { ok: true, words: 'runs' }],
      ['no', { ok: false, words: 'not told' }],
    ] as const),
    screens: undefined,
    hooks: undefined,
    output: '',
  },
}

test('the table has a line for each trial, and marks what failed and what was not reached', () => {
  const lines = tables([some], '2026-01-02', '9.9.9').split('\n')

  expect(lines[0]).toBe('Tried on 2026-01-02 with Assent 9.9.9. ✗ marks what did not work.')
  expect(lines).toContain('|  | Some Client 1.2.3 |')
  expect(lines).toContain(`| ${trials.allowed} | runs |`)
  expect(lines).toContain(`| ${trials.no} | ✗ not told |`)
  expect(lines).toContain(`| ${trials.form} | ✗ not reached |`)
  expect(lines.filter((line) => line.startsWith('|'))).toHaveLength(Object.keys(trials).length + 2)
})

test('clients whose hooks were tried have a table of their own', () => {
  const hooks = new Map([['edited', { ok: true, words: 'not offered' }]] as const)
  const text = tables([some, { ...some, tried: { ...some.tried, hooks } }], '2026-01-02', '9.9.9')
  const [, table = ''] = text.split('Its shell behind `assent hook`')
  expect(table.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(Object.keys(hookTrials).length + 2)
  expect(table).toContain(`| ${hookTrials.edited} | not offered |`)
  expect(table).toContain(`| ${hookTrials.denied} | ✗ not reached |`)
})

test('new tables take the place of the old ones, and of nothing else', () => {
  const page = 'Before.\n<!-- written by npm run clients -->\nold\n<!-- end -->\nAfter.'

  const replaced = replaceTables(page, 'new')
  expect(replaced).toBe(page.replace('old', 'new'))
  expect(() => replaceTables('A page without tables.', 'new')).toThrow('has no')
})

test('docs/clients.md has the tables that the script writes', async () => {
  const page = await readFile('docs/clients.md', 'utf8')

  expect(replaceTables(page, 'new')).toContain('\nnew\n')
  const missing = [...Object.values(trials), ...Object.values(screenTrials), ...Object.values(hookTrials)].filter(
    (words) => !page.includes(`| ${words} |`),
  )
  expect(missing).toEqual([])
})
