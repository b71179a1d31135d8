import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, digest } from '../../src/base/canonical.ts'

// The examples of RFC 8785, sections 3.2.2 to 3.2.4.
test('numbers, strings and the order of keys are spelled as RFC 8785 says', () => {
  const numbers = [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0]
  expect(canonicalJson(numbers)).toBe('[333333333.3333333,1e+30,4.5,0.002,1e-27,0]')
  expect(canonicalJson('€$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"')
  const keys = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
  expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
})

test('equal values have equal digests, whatever the order of their keys', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, member]) => [key, shuffled(member)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(digest(shuffled(value))).toBe(digest(value))
    }),
  )
})

test('what it spells is JSON of the same value, and different values are spelled differently', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)))
      if (canonicalJson(a) === canonicalJson(b))
        expect(JSON.parse(JSON.stringify(b))).toEqual(JSON.parse(JSON.stringify(a)))
    }),
  )
})

test('a key that is undefined is a key that is absent', () => {
  expect(digest({ a: 1, b: undefined })).toBe(digest({ a: 1 }))
})

const circle: unknown[] = []
circle.push(circle)
test.each([
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [undefined],
  [[undefined]],
  [new Array(1)],
  [1n],
  [() => {}],
  [Symbol('x')],
  [new Date(0)],
  [new Map()],
  ['\ud800'],
  [{ '\udc00': 1 }],
  [circle],
])('what is not JSON has no digest (%#)', (value) =>
  expect(() => digest(value)).toThrow(expect.objectContaining({ code: 'bad_argument' })),
)
