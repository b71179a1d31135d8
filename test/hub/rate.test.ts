import { expect, test } from 'vitest'
import { createRate } from '../../src/hub/routing/rate.ts'

test('as many as the burst pass at once, and then so many a second', () => {
  const rate = createRate(2, 3)
  expect([1, 2, 3, 4].map(() => rate.take(0))).toEqual(['ok', 'ok', 'ok', 'told'])
  expect([1, 2, 3].map(() => rate.take(1_000))).toEqual(['ok', 'ok', 'told'])
})

test('a refusal is told once a second', () => {
  const rate = createRate(0.1, 1)
  expect([0, 0, 999, 1_000, 1_001].map((at) => rate.take(at))).toEqual(['ok', 'told', 'silent', 'told', 'silent'])
})

test('refusals are counted although one is accepted now and then', () => {
  const rate = createRate(1, 1)
  for (let at = 0; at < 20_000; at += 125) rate.take(at)
  expect(rate.refused).toBe(140)
})

test('refusals are forgotten when the limit was kept to for ten seconds', () => {
  const rate = createRate(1, 1)
  rate.take(0)
  rate.take(0)
  for (let at = 1_000; at < 10_000; at += 1_000) rate.take(at)
  expect(rate.refused).toBe(1)
  rate.take(10_000)
  expect(rate.refused).toBe(0)
})

test('refusals are forgotten after ten seconds in which nothing was sent, whoever sends next', () => {
  const rate = createRate(1, 1)
  for (let n = 0; n <= 1_000; n += 1) rate.take(0)
  expect(rate.refused).toBe(1_000)
  expect([rate.take(10_000), rate.refused]).toEqual(['ok', 0])
  expect([rate.take(10_000), rate.refused]).toEqual(['told', 1])
})
