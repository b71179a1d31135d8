import { expect, test } from 'vitest'
import { amount, day, duration, moment, timeLeft, writesPoint } from '../../../src/web/pages/layout/times.ts'

const now = new Date('2026-11-16T09:00:00Z')

test.each([
  ['en', 0, '0 seconds'],
  ['en', -5_000, '0 seconds'],
  ['en', 59_999, '59 seconds'],
  ['en', 119_000, '119 seconds'],
  ['en', 599_000, '9 minutes'],
  ['en', 3 * 3_600_000, '3 hours'],
  ['en', 49 * 3_600_000, '2 days'],
  ['de-DE', 599_000, '9 Minuten'],
  ['not a locale', 599_000, '9 minutes'],
])('in %s, %i ms are %s', (locale, ms, words) => {
  expect(duration(locale, ms)).toBe(words)
})

test('a time of today is a clock, another one has its day, and both have their zone', () => {
  const shown = (date: string) => moment({ locale: 'en-GB', now }, new Date(date)).toString()
  expect(shown('2026-11-16T09:10:00Z')).toContain('>09:10 UTC</time>')
  expect(shown('2026-11-18T12:00:00Z')).toMatch(/>18 Nov 2026,? (at )?12:00 UTC<\/time>/)
})

test('a day and the time left say to machines exactly when', () => {
  const date = new Date('2026-11-18T12:00:00Z')
  expect(day({ locale: 'de-DE', now }, date).toString()).toContain('datetime="2026-11-18T12:00:00.000Z" lang="de-DE"')
  expect(timeLeft({ locale: 'en', now }, date).toString()).toContain('>2 days</time>')
})

test('numbers are written as the person writes them', () => {
  expect(amount('de-DE', 12_000.5)).toBe('12.000,5')
  expect(writesPoint('de-DE')).toBe(false)
  expect(writesPoint('en-GB')).toBe(true)
})
