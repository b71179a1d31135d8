import { expect, test } from 'vitest'
import { CompactMap } from '../../src/base/compact-map.ts'
import { measuredWithMinorCollections } from '../support/measure/garbage.ts'
import { compiled } from '../support/programs.ts'

test('what is put in is found, once, until it is taken out', () => {
  const roll = new CompactMap<string | number, string>()
  roll.set(1, 'a')
  roll.set(1, 'b')
  expect([roll.size, roll.has(1), roll.get(1), roll.values()]).toEqual([1, true, 'b', ['b']])
  expect([roll.delete(1), roll.delete(1)]).toEqual([true, false])
  expect([roll.size, roll.has(1), roll.get(1), roll.values()]).toEqual([0, false, undefined, []])
})

test('the number 1 and the text "1" are two keys, and so is any word that objects know', () => {
  const roll = new CompactMap<string | number, number>()
  const keys = [1, '1', 1.5, '1.5', '', '__proto__', 'constructor', 'toString', '"1']
  for (const [index, key] of keys.entries()) roll.set(key, index)
  expect(roll.size).toBe(keys.length)
  expect(keys.map((key) => roll.get(key))).toEqual(keys.map((_, index) => index))
  for (const odd of [{ toString: null }, null, undefined, [1]]) {
    expect([roll.has(odd as never), roll.get(odd as never), roll.delete(odd as never)]).toEqual([
      false,
      undefined,
      false,
    ])
  }
  roll.clear()
  expect([roll.size, roll.values()]).toEqual([0, []])
})

test('what was taken out is collected with the young, not kept by what came before it', async () => {
  const program = compiled(new URL('./compact-map-process.ts', import.meta.url))
  const [roll, map] = [
    await measuredWithMinorCollections(program, 'roll'),
    await measuredWithMinorCollections(program, 'map'),
  ]
  expect(roll).toBeLessThan(map / 4)
})
