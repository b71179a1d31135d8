import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasMoreValues, memoryOf, valuesIn } from '../../../src/base/limits/json-values.ts'

describe('the values of a JSON text', () => {
  test('are counted at every depth, and never fewer than there are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(40), (value, most) => {
        const text = JSON.stringify(value)
        if (valuesIn(value) > most) expect(hasMoreValues(text, most)).toBe(true)
        // A list counts itself and what it holds, so an empty one may count for two.
        if (valuesIn(value) * 2 + 2 <= most) expect(hasMoreValues(text, most)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ['commas and brackets in text', JSON.stringify({ text: '[{,'.repeat(500) })],
    ['escaped quotes in text', JSON.stringify({ text: '",\\",{'.repeat(500) })],
    [
      'backslashes before the end of a text',
      JSON.stringify({ text: `${'\\'.repeat(1_000)}`, other: ',[{'.repeat(400) }),
    ],
  ])('are none of the %s', (_, text) => {
    expect(hasMoreValues(text, 10)).toBe(false)
  })

  test('a text that does not end is left to the parser', () => {
    expect(hasMoreValues(`["${','.repeat(100)}`, 10)).toBe(false)
  })

  test.each(['{},', '[],', '0,', '"",', '{"a":0},', '[[[]]],'])('an attack: a million times %j', (part) => {
    expect(hasMoreValues(`[${part.repeat(1_000_000)}0]`, 200_000)).toBe(true)
  })

  test('of a parsed value are counted without recursion, however deep it is', () => {
    expect(valuesIn(JSON.parse(`${'['.repeat(300_000)}${']'.repeat(300_000)}`))).toBe(299_999)
    expect(valuesIn({ a: [1, { b: null }], c: 'text' })).toBe(5)
    expect([valuesIn(null), valuesIn('text'), valuesIn(7)]).toEqual([0, 0, 0])
  })

  test('weigh more than their text: a short one is not looked into, a long one is', () => {
    expect(memoryOf({}, 2)).toBe(44)
    expect(memoryOf(['x'.repeat(9_000)], 9_004)).toBe(9_004 + 128)
    expect(memoryOf(Array(5_000).fill(0), 10_001)).toBe(10_001 + 5_000 * 128)
  })
})
