import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CollectedBytes } from '../../../src/base/limits/collect-bytes.ts'

test('collected bytes are what was added, in order, and the chunks stay as they were', () => {
  const chunk = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(chunk, fc.array(chunk, { maxLength: 20 }), (first, more) => {
      const before = Buffer.concat([first, ...more])
      const collected = new CollectedBytes(first)
      for (const one of more) collected.add(one)
      expect(collected.length).toBe(before.length)
      expect(collected.bytes.equals(before)).toBe(true)
      expect(collected.text).toBe(before.toString())
      expect(Buffer.concat([first, ...more]).equals(before)).toBe(true)
    }),
  )
})

test('an attack: a byte at a time costs a few times its size, not an object for each', () => {
  const collected = new CollectedBytes(Buffer.from('x'))
  const one = Buffer.from('y')
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 1_000_000; count += 1) collected.add(one)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000)
  expect(collected.length).toBe(1_000_001)
})
