import { expect, test } from 'vitest'
import { answerQuestion } from '../../src/agent/elicitation.ts'
import { scriptedUi } from '../../src/testing/index.ts'

const signal = new AbortController().signal
const requestedSchema = { type: 'object', properties: { count: { type: 'integer', minimum: 1 } }, required: ['count'] }
const form = { from: 'agent-b', params: { message: 'How many?', requestedSchema }, signal }
const page = (url: string) => ({ from: 'agent-b', params: { mode: 'url', message: 'Look here.', url }, signal })
const address = 'https://assent.example.com/approve/1'

test('a form is shown until its answer fits', async () => {
  const ui = scriptedUi({
    form: [() => ({ action: 'accept', content: { count: 0 } }), () => ({ action: 'accept', content: { count: 2 } })],
  })
  expect(await answerQuestion(ui, form)).toEqual({ action: 'accept', content: { count: 2 } })
  expect(ui.all('form').map(({ request }) => [request.filled, request.errors.length])).toEqual([
    [{}, 0],
    [{ count: 0 }, 1],
  ])
})

test('a form is declined where the person declines', async () => {
  expect(await answerQuestion(scriptedUi({ form: [() => ({ action: 'decline' })] }), form)).toEqual({
    action: 'decline',
  })
})

test('a page is opened where the person agrees, and only then', async () => {
  const agrees = scriptedUi({ consentToOpen: ['open'] })
  expect(await answerQuestion(agrees, page(address))).toEqual({ action: 'accept' })
  expect(agrees.all('opened')).toHaveLength(1)
  const declines = scriptedUi({ consentToOpen: ['decline'] })
  expect(await answerQuestion(declines, page(address))).toEqual({ action: 'decline' })
  expect(declines.all('opened')).toEqual([])
})

test('attack: an address that is no web page is not opened', async () => {
  const ui = scriptedUi()
  expect(await answerQuestion(ui, page('javascript:alert(1)'))).toEqual({ action: 'decline' })
  expect(ui.all('page-refused')).toHaveLength(1)
})
