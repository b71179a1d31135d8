import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { measuredClock } from '../../src/stores/measured-clock.ts'
import { openPostgresStore } from '../../src/stores/postgres/open.ts'
import { openRedisStore } from '../../src/stores/redis/open.ts'
import { serverStores } from '../support/stores.ts'

const minute = 60_000
const start = Date.parse('2026-01-01T00:00:00.000Z')

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A store and a machine whose clocks, and whose distance, a test may choose. */
function world() {
  const world = { passed: 0, storeMs: 0, machineMs: 0, wayThereMs: 0, wayBackMs: 0, isDown: false, readings: 0 }
  const parts = {
    monotonic: () => world.passed,
    machine: { ...systemClock, now: () => new Date(start + world.passed + world.machineMs) },
    async readTime() {
      world.readings += 1
      if (world.isDown) throw new Error('down')
      world.passed += world.wayThereMs
      const time = start + world.passed + world.storeMs
      world.passed += world.wayBackMs
      return time
    },
  }
  const storeTime = () => start + world.passed + world.storeMs
  /** Timers go on while the machine is awake. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      world.passed += Math.min(left, 1_000)
      await vi.advanceTimersByTimeAsync(Math.min(left, 1_000))
    }
  }
  const open = async () => {
    const clock = await measuredClock(parts)
    onTestFinished(() => clock.stop())
    return { ...clock, wrongBy: () => clock.now().getTime() - storeTime() }
  }
  return { world, pass, open }
}

describe('the clock of a store on another machine', () => {
  test('tells the time of the store, and by how much the machine is ahead or behind', async () => {
    for (const machineMs of [-10 * minute, 0, 10 * minute]) {
      const { world: around, open } = world()
      around.machineMs = machineMs
      const clock = await open()
      expect(clock.wrongBy()).toBe(0)
      expect(clock.machineAheadMs()).toBe(machineMs)
    }
  })

  test('keeps its pace when the clock of the machine is set, and says so at once', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    around.machineMs = 3_600_000
    expect(clock.wrongBy()).toBe(0)
    expect(clock.machineAheadMs()).toBe(3_600_000)
    await pass(2 * minute)
    expect(clock.wrongBy()).toBe(0)
    expect(clock.machineAheadMs()).toBeGreaterThan(3_600_000 - 100)
  })

  test('is measured once if the store is near, and three times if it is far', async () => {
    const near = world()
    await near.open()
    expect(near.world.readings).toBe(1)
    const far = world()
    Object.assign(far.world, { wayThereMs: 400, wayBackMs: 400 })
    expect((await far.open()).wrongBy()).toBe(0)
    expect(far.world.readings).toBe(3)
  })

  test('is wrong by at most half a round trip, and blames no machine for a slow store', async () => {
    const { world: around, open } = world()
    Object.assign(around, { wayThereMs: 20_000, wayBackMs: 0 })
    const clock = await open()
    expect(clock.wrongBy()).toBe(10_000)
    expect(Math.abs(clock.machineAheadMs())).toBe(0)
    around.machineMs = 31_000
    expect(clock.machineAheadMs()).toBe(11_000)
  })

  test('is measured each minute, and a slow reading does not replace an exact one', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    around.wayThereMs = 5_000
    await pass(3 * minute)
    expect(around.readings).toBe(4)
    expect(clock.wrongBy()).toBe(0)
    around.wayThereMs = 0
    await pass(minute)
    expect(clock.wrongBy()).toBe(0)
  })

  test('follows the store when its clock is set or another server takes over, however slow that one is', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    around.storeMs = -30_000
    expect(clock.wrongBy()).toBe(30_000)
    await pass(minute)
    expect(clock.wrongBy()).toBe(0)
    Object.assign(around, { storeMs: 90_000, wayThereMs: 1_000, wayBackMs: 1_000 })
    await pass(minute)
    expect(Math.abs(clock.wrongBy())).toBeLessThanOrEqual(1_000)
  })

  test('goes on while the store is down, and is measured soon after it is back', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    around.isDown = true
    await pass(10 * minute)
    expect(clock.wrongBy()).toBe(0)
    Object.assign(around, { isDown: false, storeMs: 20_000 })
    await pass(6_000)
    expect(clock.wrongBy()).toBe(0)
  })

  test('is measured within seconds after the machine has slept, when no time has passed for its timers', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    Object.assign(around, { storeMs: 8 * 3_600_000, machineMs: 8 * 3_600_000 })
    await pass(6_000)
    expect(clock.wrongBy()).toBe(0)
    expect(Math.abs(clock.machineAheadMs())).toBe(0)
  })

  test('is no more measured when the store is closed', async () => {
    const { world: around, pass, open } = world()
    const clock = await open()
    clock.stop()
    await pass(5 * minute)
    expect(around.readings).toBe(1)
  })
})

test.each([
  ['postgres', openPostgresStore],
  ['redis', openRedisStore],
])('%s tells its time to machines whose clocks are ten minutes apart', async (name, openStore) => {
  vi.useRealTimers()
  const url = (await serverStores[name]?.()) ?? ''
  for (const skewMs of [-10 * minute, 0, 10 * minute]) {
    const clock = { ...systemClock, now: () => new Date(Date.now() + skewMs) }
    const store = await openStore(url, { clock })
    // The server runs on this machine.
    expect(Math.abs(store.clock.now().getTime() - Date.now())).toBeLessThan(5_000)
    expect(Math.abs(store.clock.machineAheadMs() - skewMs)).toBeLessThan(5_000)
    await store.close()
  }
})
