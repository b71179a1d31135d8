import { expect, test } from 'vitest'
import type { OfferedTool } from '../../src/definition/definitions.ts'
import { anAssent } from '../support/assents.ts'

const tools = (count: number, prefix = 'tool'): OfferedTool[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${index}`,
    definition: { name: `${prefix}-${index}` },
  }))

test('attack: a server that names its tools anew each time does not fill the store', async () => {
  const { definitions, store } = await anAssent({})
  for (const time of ['first', 'second', 'third']) await definitions.see('files', tools(1_500, time), false)
  const known = (await store.definitions.list('files')).map(({ tool }) => tool)
  expect(known).toHaveLength(2_000)
  expect(known.filter((name) => name.startsWith('third'))).toHaveLength(1_500)
})

test('what was allowed makes way for nothing, and what has no room stays held back', async () => {
  const { definitions, store } = await anAssent({})
  await definitions.see('files', tools(2_000, 'allowed'), true)
  for (const { tool, seen } of await store.definitions.list('files')) {
    await definitions.allow({ server: 'files', tool, digest: seen.digest })
  }
  const held = await definitions.see('files', tools(3, 'new'), true)
  expect([...held]).toEqual([
    ['new-0', 'new'],
    ['new-1', 'new'],
    ['new-2', 'new'],
  ])
  expect(await store.definitions.list('files')).toHaveLength(2_000)
  expect((await definitions.see('files', tools(2_000, 'allowed'), true)).size).toBe(0)
})

test.each([
  ['half a surrogate pair', { note: 'cut \ud83d' }],
  ['deeper nesting than a digest takes', { note: JSON.parse(`${'['.repeat(128)}${']'.repeat(128)}`) }],
])('a tool whose definition holds %s is noted and allowed like any other, and harms none', async (_, more) => {
  const { definitions, store } = await anAssent({})
  const offered = [...tools(1), { name: 'odd', definition: { name: 'odd', _meta: more } }]
  expect([...(await definitions.see('files', offered, true)).keys()]).toEqual(['tool-0', 'odd'])
  const known = await store.definitions.get('files', 'odd')
  await definitions.allow({ server: 'files', tool: 'odd', digest: known?.seen.digest ?? '' })
  expect([...(await definitions.see('files', offered, true)).keys()]).toEqual(['tool-0'])
  const other = { name: 'odd', definition: { name: 'odd', title: 'Other', _meta: more } }
  expect((await definitions.see('files', [other], true)).get('odd')).toBe('changed')
})
