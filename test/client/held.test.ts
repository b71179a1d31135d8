import { expect, test } from 'vitest'
import { scriptedUi } from '../../src/testing/index.ts'
import { connect2026, fake2026, inputRequired, textOf, textResult } from '../support/client/clients.ts'

const page = { mode: 'url', message: 'Sign in', url: 'https://sign.example.com/1' }

test('a request that is held and never answered is sent again, with the same state and a new id (H26-10)', async () => {
  const ids: unknown[] = []
  const url = await fake2026(async ({ id, requestState, inputResponses }) => {
    if (requestState === undefined) return inputRequired({ q: page }, 's1')
    ids.push(id)
    expect({ requestState, inputResponses }).toEqual({
      requestState: 's1',
      inputResponses: { q: { action: 'accept' } },
    })
    // The first retry never gets an answer.
    if (ids.length === 1) return new Promise(() => {})
    return textResult('done')
  })
  const ui = scriptedUi({ consentToOpen: ['open'], open: () => {}, waiting: ['nothing'] })
  const client = await connect2026(url, ui, { heldTime: 2_000, humanTime: '2m' })
  expect(textOf(await client.callTool({ name: 'x' }))).toBe('done')
  expect(new Set(ids).size).toBe(2)
  expect(ui.all('consent')).toHaveLength(1)
})

test('a page that must not be opened is declined, and the person is told why (S-10)', async () => {
  const url = await fake2026(async ({ inputResponses }) =>
    inputResponses === undefined
      ? inputRequired({ q: { ...page, url: 'javascript:alert(1)' } }, 's1')
      : textResult(String(inputResponses.q?.action)),
  )
  const ui = scriptedUi()
  const client = await connect2026(url, ui)
  expect(textOf(await client.callTool({ name: 'x' }))).toBe('decline')
  expect(ui.shown).toMatchObject([{ kind: 'page-refused', page: { message: 'Sign in' } }])
})
