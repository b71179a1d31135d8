import { describe, expect, test } from 'vitest'
import { sourcesIn } from '../support/sources.ts'
import { requirements } from './requirements.ts'
import { citations, idPattern, titlesIn } from './titles.ts'

/** How many requirements each part of the protocol has: one that falls out of the list is missed. */
const counts = {
  E06: 8,
  E11: 42,
  E26: 7,
  M26: 22,
  B26: 14,
  V26: 9,
  V11: 2,
  H26: 17,
  T26: 5,
  H11: 11,
  L26: 4,
  X26: 4,
  X11: 1,
  U26: 5,
  O: 9,
  S: 12,
  K11: 3,
  K26: 4,
}

describe('every requirement of the protocol has its place', () => {
  const cited = citations()
  const ofKind = (...kinds: string[]) =>
    Object.entries(requirements)
      .filter(([, { proof }]) => kinds.includes(proof.kind))
      .map(([id]) => id)

  test('none is missing from the list', () => {
    const ids = Object.entries(counts).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, index) => `${part}-${String(index + 1).padStart(2, '0')}`),
    )
    expect(Object.keys(requirements).sort()).toEqual(ids.sort())
  })

  test('what is shown is shown: a test has its id in its name', () => {
    expect(ofKind('shown', 'partly').filter((id) => !cited.has(id))).toEqual([])
  })

  test('what is for others has no test', () => {
    const stale = ofKind('not-ours').filter((id) => cited.has(id))
    expect(stale.map((id) => `${id}, in ${[...(cited.get(id) ?? [])].join(', ')}`)).toEqual([])
  })

  test('every id that code or tests cite is explained', async () => {
    const folders = await Promise.all(['src', 'test', 'bench', 'soak', 'examples'].map(sourcesIn))
    const unknown = folders
      .flat()
      .filter(({ path }) => path !== 'test/conformance/requirements.test.ts')
      .flatMap(({ path, text }) => (text.match(idPattern) ?? []).map((id) => ({ id, path })))
      .filter(({ id }) => !(id in requirements))
    expect(unknown).toEqual([])
  })

  test.each(Object.entries(requirements))('%s is explained in one sentence, with its section', (_, requirement) => {
    const { rule, section } = requirement
    expect(rule).toMatch(/^[A-Z].{20,160}\.$/)
    expect(rule.slice(0, -1)).not.toMatch(/[.!?] [A-Z]/)
    expect(section).toMatch(/^20\d\d-\d\d-\d\d( and 20\d\d-\d\d-\d\d)*, [\w/-]+, ".+"$/)
  })
})

test('ids are found in the names of tests and groups, and in the tables they are made of', () => {
  const source = `
    const table = [{ rule: 'by name (B26-01)' }]
    describe('a group (E06-01)', () => {
      test('a test (E06-02)', () => { say('no name (E06-99)') })
      test.each([['in a row (E06-03)']])('%s', () => {})
      test.each(table.map((row) => row))('%s (E06-04)', () => {})
      test.skipIf(true)(\`a template \${1} (E06-05)\`, () => {}) // a comment (E06-98)
    })`
  const found = titlesIn('a.test.ts', source)
    .join(' ')
    .match(/[A-Z]\d\d-\d\d/g)
  expect(found?.sort()).toEqual(['B26-01', 'E06-01', 'E06-02', 'E06-03', 'E06-04', 'E06-05'])
})
