import { expect, test } from 'vitest'
import { createRates } from '../../src/web/http/rates.ts'
import { defaultWebLimits } from '../../src/web/options.ts'

function ratesAt(most: number) {
  let now = 5
  const rates = createRates({ ...defaultWebLimits, perAddressPerMinute: most, perQuestionPerMinute: most }, () => now)
  return { rates, pass: (ms: number) => (now += ms) }
}

test('what comes too often waits until a minute after the first of it', () => {
  const { rates, pass } = ratesAt(2)
  expect([rates.address('one'), rates.address('one')]).toEqual([undefined, undefined])
  pass(15_000)
  expect(rates.address('one')).toBe(45)
  // Trying again makes nobody wait longer.
  pass(44_500)
  expect(rates.address('one')).toBe(1)
  pass(500)
  expect(rates.address('one')).toBeUndefined()
})

test('each address, and each question of each person, is counted alone', () => {
  const { rates } = ratesAt(1)
  expect([rates.address('one'), rates.address('two')]).toEqual([undefined, undefined])
  expect([rates.question('ann', 'q'), rates.question('bob', 'q'), rates.question('ann', 'p')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([rates.question('ann', 'q'), rates.address('two')]).toEqual([60, 60])
})
