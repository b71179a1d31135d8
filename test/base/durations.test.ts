import { expect, test } from 'vitest'
import { formatDuration, milliseconds } from '../../src/base/durations.ts'

test.each([
  ['250ms', 250],
  ['45s', 45_000],
  [' 10m ', 600_000],
  ['1h', 3_600_000],
  ['30d', 2_592_000_000],
  ['0s', 0],
  [1_500, 1_500],
])('%s lasts %d ms', (text, ms) => expect(milliseconds(text)).toBe(ms))

test.each(['', '10', 'm', '1.5h', '-1s', '10 m', '1e3s', '10mm', '9999999999999s'])(
  '"%s" is refused with the remedy',
  (text) => {
    expect(() => milliseconds(text)).toThrow(/not a duration.*10m/)
  },
)

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no duration', (ms) => {
  expect(() => milliseconds(ms)).toThrow('not a duration')
})

test.each([
  [0, '0ms'],
  [1_500, '1500ms'],
  [45_000, '45s'],
  [600_000, '10m'],
  [5_400_000, '90m'],
  [7_200_000, '2h'],
  [2_592_000_000, '30d'],
])('%d ms is said as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
  expect(milliseconds(formatDuration(ms))).toBe(ms)
})
