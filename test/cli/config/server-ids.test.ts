import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverIds } from '../../../src/cli/config/read/server-ids.ts'

test.each([
  [
    ['files', 'a-1'],
    ['files', 'a-1'],
  ],
  [['My Server'], ['my-server']],
  [['Café_Bar!'], ['cafe-bar']],
])('servers %j are called %j', (names, ids) => {
  expect([...serverIds(names).values()]).toEqual(ids)
})

test('names that look alike are told apart, and a name that is an id keeps it', () => {
  const ids = serverIds(['my-server', 'My Server', 'my_server'])
  expect(ids.get('my-server')).toBe('my-server')
  expect(ids.get('My Server')).toMatch(/^my-server-[0-9a-f]{6}$/)
  expect(ids.get('my_server')).toMatch(/^my-server-[0-9a-f]{6}$/)
  expect(serverIds(['文', '🙂']).get('文')).toMatch(/^server-[0-9a-f]{6}$/)
})

test('whatever the names, every id is one, and no two are the same, in any order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 8 }), (names) => {
      const ids = serverIds(names)
      for (const id of ids.values()) expect(id).toMatch(/^[a-z0-9-]{1,32}$/)
      expect(new Set(ids.values()).size).toBe(names.length)
      expect(serverIds([...names].reverse())).toEqual(ids)
    }),
  )
})
