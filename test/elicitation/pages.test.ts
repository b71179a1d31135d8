import { describe, expect, test } from 'vitest'
import { answerLink } from '../../src/elicitation/answering/answer-link.ts'
import { defaultPages, pageUrl } from '../../src/elicitation/page-settings.ts'
import { type Elicitation, fromModuleOptions } from '../../src/index.ts'
import { anAsk, aSecretAsk } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'

describe('the options of elicitation modules', () => {
  test('mean the same under our names', async () => {
    const options = fromModuleOptions({
      serverUrl: 'https://assent.example.com/',
      apiPrefix: 'ask',
      elicitationTtlMs: 1_000,
      cleanupIntervalMs: 0,
      storeConfiguration: { type: 'memory' },
      endpoints: { apiKey: 'key', status: 'how' },
      templateOptions: { primaryColor: '#6366f1', title: 'My Application' },
    })
    const assent = await anAssent(options)
    expect(assent.pages).toEqual({
      publicUrl: 'https://assent.example.com',
      prefix: 'ask',
      names: { 'api-key': 'key', status: 'how' },
      primaryColor: '#6366f1',
      title: 'My Application',
    })
    const { elicitation } = await assent.ask(aSecretAsk())
    expect(elicitation.question).toMatchObject({ url: `https://assent.example.com/ask/${elicitation.id}/key` })
    expect(elicitation.expiresAt.getTime() - elicitation.createdAt.getTime()).toBe(1_000)
  })

  test('have the defaults they promise', () => {
    expect(fromModuleOptions({ serverUrl: 'http://localhost:3000' })).toMatchObject({ store: 'memory:', clocks: {} })
    expect(defaultPages).toMatchObject({ prefix: 'elicit', primaryColor: '#007bff' })
  })

  test('take a store of your own', async () => {
    const { store } = await anAssent()
    const own = fromModuleOptions({ serverUrl: 'http://localhost:3000', storeConfiguration: { type: 'custom', store } })
    expect(own.store).toBe(store)
  })
})

test('a page has the name it was given, and nothing that every object has', () => {
  const pages = { ...defaultPages, names: { confirm: 'sure' } }
  expect(pageUrl(pages, 'x', 'confirm')).toBe('http://127.0.0.1:4180/elicit/x/sure')
  expect(pageUrl(pages, 'x', 'constructor')).toBe('http://127.0.0.1:4180/elicit/x/constructor')
})

describe('the link that a channel carries', () => {
  const linkTo = (id: string, page: string) => `https://assent.example.com/elicit/${id}/${page}`
  const asked = async (over: Parameters<typeof anAsk>[0]): Promise<Elicitation> =>
    (await (await anAssent()).ask(anAsk(over))).elicitation

  test('leads to the page of the question', async () => {
    const form = await asked({})
    expect(answerLink(linkTo, form)).toBe(linkTo(form.id, 'form'))
    const approval = await asked({ purpose: 'approval' })
    expect(answerLink(linkTo, approval)).toBe(linkTo(approval.id, 'approve'))
    const page = await asked({ question: { mode: 'url', message: 'Sure?', page: 'confirm' }, purpose: 'confirm' })
    expect(answerLink(linkTo, page)).toBe(page.question.mode === 'url' ? page.question.url : '')
    const elsewhere = await asked({ question: { mode: 'url', message: 'Pay there', url: 'https://pay.example.com/' } })
    expect(answerLink(linkTo, elsewhere)).toBe(linkTo(elsewhere.id, 'status'))
  })
})
