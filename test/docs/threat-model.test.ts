import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

test('every file that the threat model cites exists', async () => {
  const text = await readFile('docs/threat-model.md', 'utf8')
  const cited = [...text.matchAll(/`([\w./-]+\.ts|[\w/-]+\/)`/g)].map(([, path = '']) => path)
  const placeOf = (path: string) => (path.endsWith('.test.ts') ? `test/${path}` : `src/${path}`)

  expect(cited.length).toBeGreaterThan(40)
  expect(cited.filter((path) => !existsSync(placeOf(path)))).toEqual([])
})
