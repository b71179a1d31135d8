import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { fixedClock } from '../../src/testing/index.ts'

describe('the clock of the machine', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('tells the time', () => expect(systemClock.now()).toEqual(new Date()))

  test('calls when it is due, once, unless called off', () => {
    const due = vi.fn()
    systemClock.after(50, due)
    systemClock.after(50, due)()
    vi.advanceTimersByTime(200)
    expect(due).toHaveBeenCalledTimes(1)
  })

  test('waits longer than a timer of the machine can, and can be called off all the way', () => {
    const [due, never] = [vi.fn(), vi.fn()]
    const days = 86_400_000
    systemClock.after(60 * days, due)
    const callOff = systemClock.after(60 * days, never)
    vi.advanceTimersByTime(59 * days)
    expect(due).not.toHaveBeenCalled()
    callOff()
    vi.advanceTimersByTime(2 * days)
    expect(due).toHaveBeenCalledTimes(1)
    expect(never).not.toHaveBeenCalled()
  })
})

describe('a fixed clock', () => {
  test('stands still until it is moved, and calls what falls due in order, each at its own time', () => {
    const clock = fixedClock('2026-01-01T00:00:00.000Z')
    const seen: string[] = []
    const note = (name: string) => () => seen.push(`${name} ${clock.now().toISOString().slice(17, 23)}`)
    clock.after(2_000, note('second'))
    clock.after(1_000, note('first'))
    clock.after(1_500, note('never'))()
    clock.after(9_000, note('later'))
    clock.advance(3_000)
    expect(seen).toEqual(['first 01.000', 'second 02.000'])
    expect(clock.now()).toEqual(new Date('2026-01-01T00:00:03.000Z'))
  })
})
