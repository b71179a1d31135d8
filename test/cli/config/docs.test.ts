import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { defaults } from '../../../src/cli/config/defaults.ts'

const docs = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')

/** Every setting that has a default in code, by its path. */
function flat(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'object' ? flat(one, `${prefix}${name}.`) : [[`${prefix}${name}`, String(one)] as [string, string]],
  )
}

test('the docs list every default as the code has it, and no other', () => {
  const listed = [...docs.matchAll(/^\| `([\w.]+)` \| `([^`]+)` \|/gm)].map(([, name, value]) => [name, value])
  const follow = ['publicUrl', 'callbackUrl']
  expect(listed.filter(([name]) => !follow.includes(name as string)).sort()).toEqual(flat(defaults).sort())
})
