import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget, type Lease } from '../../../src/base/limits/budget.ts'

describe('a budget', () => {
  test('gives one owner its part, and refuses what is beyond it', () => {
    const budget = new Budget(100, 40)
    const lease = budget.lease('greedy', 40)
    expect(lease).toBeDefined()
    expect(budget.lease('greedy', 1)).toBeUndefined()
    lease?.release()
    expect(budget.held).toBe(0)
    expect(budget.lease('greedy', 40)).toBeDefined()
  })

  test('an attack: many owners take all they can get, and there is room for the next one', () => {
    const budget = new Budget(12_800, 3_200)
    for (let owner = 0; owner < 20; owner += 1) while (budget.lease(`greedy ${owner}`, 100) !== undefined);
    expect(budget.lease('greedy 1', 1)).toBeUndefined()
    expect(budget.lease('honest', 100)).toBeDefined()
  })

  test('a lease grows while there is room, and is given back whole, once', () => {
    const budget = new Budget(100, 50)
    const lease = budget.lease('one', 10) as Lease
    expect(lease.growTo(30)).toBe(true)
    expect(lease.growTo(20)).toBe(true)
    expect(lease.growTo(60)).toBe(false)
    expect(budget.held).toBe(30)
    lease.release()
    lease.release()
    expect(budget.held).toBe(0)
    expect(lease.growTo(40)).toBe(false)
    expect(budget.held).toBe(0)
  })

  test('a lease that several hold is given back by the last of them', () => {
    const budget = new Budget(100, 50)
    const lease = budget.lease('one', 10) as Lease
    lease.hold()
    lease.release()
    expect(budget.held).toBe(10)
    lease.release()
    expect(budget.held).toBe(0)
  })

  test('an attack: owners without number leave nothing behind', () => {
    const budget = new Budget(100, 50)
    const kept = budget.lease('kept', 10) as Lease
    for (let owner = 0; owner < 5_000; owner += 1) budget.lease(`owner ${owner}`, 1)?.release()
    expect(budget.held).toBe(10)
    expect(budget.lease('kept', 41)).toBeUndefined()
    kept.release()
    expect(budget.held).toBe(0)
  })

  test('never holds more than all and each may, whatever is taken and released', () => {
    const step = fc.record({ owner: fc.nat(3), bytes: fc.nat(60), releases: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new Budget(100, 40)
        const held: { owner: number; bytes: number; lease: Lease }[] = []
        for (const { owner, bytes, releases } of steps) {
          if (releases) held.shift()?.lease.release()
          const lease = budget.lease(String(owner), bytes)
          if (lease !== undefined) held.push({ owner, bytes, lease })
          const sum = (some: typeof held) => some.reduce((all, one) => all + one.bytes, 0)
          expect(budget.held).toBe(sum(held))
          expect(budget.held).toBeLessThanOrEqual(100)
          for (const one of held) expect(sum(held.filter((other) => other.owner === one.owner))).toBeLessThanOrEqual(40)
        }
      }),
    )
  })
})
