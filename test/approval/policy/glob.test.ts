import fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatcher } from '../../../src/approval/policy/glob.ts'
import { cpuTimer } from '../../support/measure/cpu-time.ts'

test.each([
  ['read_*', 'read_file', true],
  ['read_*', 'read_', true],
  ['read_*', 'xread_file', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['delete', 'delete', true],
  ['delete', 'delete_all', false],
  ['delete', 'Delete', false],
  ['*_file', 'read_file', true],
  ['*_file', 'read_files', false],
  ['get_?', 'get_a', true],
  ['get_?', 'get_', false],
  ['get_?', 'get_ab', false],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXcYb', false],
  ['a**', 'a', true],
  ['*a', 'ba', true],
  ['a*?', 'a', false],
  // A pattern is never an expression: a dot is a dot.
  ['a.c', 'abc', false],
  ['(a|b)', 'a', false],
  ['[ab]', 'a', false],
])('the pattern %j and the name %j: %s', (pattern, name, matches) => {
  expect(globMatcher(pattern)(name)).toBe(matches)
})

test('every pattern means what the plain definition of a glob says', () => {
  const means = (pattern: string, text: string): boolean => {
    if (pattern === '') return text === ''
    const [sign, rest] = [pattern[0], pattern.slice(1)]
    if (sign === '*') return means(rest, text) || (text !== '' && means(pattern, text.slice(1)))
    return text !== '' && (sign === '?' || sign === text[0]) && means(rest, text.slice(1))
  }
  const of = (signs: string[]) => fc.array(fc.constantFrom(...signs), { maxLength: 8 }).map((list) => list.join(''))
  fc.assert(
    fc.property(of(['a', 'b', '*', '?']), of(['a', 'b', '*']), (pattern, text) => {
      expect(globMatcher(pattern)(text)).toBe(means(pattern, text))
    }),
    { seed: 7, numRuns: 5_000 },
  )
})

test('attack: a pattern full of stars against a long name ends at once', () => {
  const matches = globMatcher('*a'.repeat(127))
  const took = cpuTimer()
  expect(matches('a'.repeat(100_000).concat('b'))).toBe(false)
  expect(took()).toBeLessThan(2_000)
})
