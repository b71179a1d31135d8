import { describe, expect, test } from 'vitest'
import type { ElicitationId, FormSchema } from '../../src/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { anAsk, aSecretAsk } from '../support/asks.ts'
import { enrolledBrowser, pagePath, testBrowser } from '../support/test-browser.ts'
import { askLocal, auditOf, localPlace } from '../support/web/places.ts'

const orderForm: FormSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer', title: 'How many', minimum: 1 },
    note: { type: 'string', title: 'Note', default: 'none' },
    express: { type: 'boolean', title: 'Express' },
  },
  required: ['count'],
}
const order = anAsk({ question: { mode: 'url', message: 'What to order?', page: 'form', schema: orderForm } })
const { question: orderQuestion } = order
const confirming = {
  question: { mode: 'url', message: 'Delete the account?', page: 'confirm' } as const,
  purpose: 'confirm' as const,
  metadata: { title: 'Delete account', warning: 'This cannot be undone.', confirmLabel: 'Yes, delete' },
}

describe('a form', () => {
  test('says who asks, for which client, and what', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const page = await browser.get(pagePath(await askLocal(place, { question: orderQuestion })))

    expect(page.status).toBe(200)
    for (const words of ['github', 'Claude Code', 'What to order?', 'How many']) expect(page.text).toContain(words)
  })

  test('is answered by its types, and then its page is the settled one in every tab', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place, { question: orderQuestion })
    const path = pagePath(asked)
    await browser.get(path)

    const sent = await browser.post(path, { answer: 'accept', 'field.count': '3', 'field.note': '' })
    expect(sent).toMatchObject({ status: 303, location: path })

    const state = (await place.assent.get(asked.id))?.state
    // The box that was not ticked is a no; the field that was emptied is no answer, whatever its default.
    expect(state).toMatchObject({ answer: { action: 'accept', content: { count: 3, express: false } } })
    expect(state).toMatchObject({ by: { via: 'page', participant: 'local' } })
    expect((await browser.get(path)).text).toContain('Your answer was sent')
    expect((await browser.post(path, { answer: 'decline' })).status).toBe(409)
    expect((await place.assent.get(asked.id))?.state).toEqual(state)
  })

  test('that was filled in wrongly comes back with what was typed and what is wrong, and is still open', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place, { question: orderQuestion })
    await browser.get(pagePath(asked))

    const again = await browser.post(pagePath(asked), { answer: 'accept', 'field.count': 'many', 'field.note': 'soon' })
    expect(again.status).toBe(422)
    expect(again.text).toContain('value="soon"')
    expect(again.text).toContain('How many')
    expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
  })

  test('that the client was to show can be answered on a page as well', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    const path = `/elicit/${asked.id}/form`
    await browser.get(path)
    await browser.post(path, { answer: 'accept', 'field.branch': 'main' })
    expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { content: { branch: 'main' } } })
  })

  test.each([
    ['decline', 'decline'],
    ['cancel', 'cancel'],
    ['yes', 'cancel'],
    ['', 'cancel'],
  ])('answered with "%s" is a %s', async (said, action) => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    await browser.get(pagePath(asked))
    await browser.post(pagePath(asked), { answer: said, 'field.branch': 'main' })
    expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { action } })
  })

  test('whose time is over says so and takes nothing', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    await browser.get(pagePath(asked))
    place.clock.advance(11 * 60_000)

    expect((await browser.get(pagePath(asked))).text).toContain('Time is up')
    const late = await browser.post(pagePath(asked), { answer: 'accept', 'field.branch': 'main' })
    expect(late.status).toBe(409)
    expect((await place.assent.get(asked.id))?.state.kind).toBe('expired')
  })
})

describe('a key', () => {
  test('is taken on its page, with the words that came with the question', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const { requester: _, ...ask } = aSecretAsk({ metadata: { fieldLabel: 'Stripe key', placeholder: 'sk_live_' } })
    const asked = await askLocal(place, ask)
    const page = await browser.get(pagePath(asked))
    expect(page.text).toContain('Stripe key')
    expect(page.text).toContain('sk_live_')

    await browser.post(pagePath(asked), { answer: 'accept', 'field.apiKey': 'planted-key' })
    const result = await place.assent.getResult(asked.requester.participant, asked.id)
    expect(result?.data).toEqual({ apiKey: 'planted-key' })
  })

  test('planted in an answer is in no byte that is sent back, taken or refused', async () => {
    const place = await localPlace({}, { limits: { answerBytes: 100 } })
    const browser = await enrolledBrowser(place)
    const { requester: _, ...ask } = aSecretAsk()
    const asked = await askLocal(place, ask)
    const path = pagePath(asked)
    await browser.get(path)

    const refused = await browser.post(path, { answer: 'accept', 'field.apiKey': 'planted-key'.repeat(20) })
    expect(refused.status).toBe(422)
    expect((await browser.post(path, { answer: 'accept', 'field.apiKey': 'planted-key' })).status).toBe(303)
    await browser.get(path)
    await browser.get(`/elicit/${asked.id}/status`)
    expect(browser.seen.join('\n')).not.toContain('planted-key')
  })
})

test('a confirmation shows its own words', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place, confirming)
  const page = await browser.get(pagePath(asked))
  for (const words of ['This cannot be undone.', 'Yes, delete']) expect(page.text).toContain(words)
  await browser.post(pagePath(asked), { answer: 'accept' })
  expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { action: 'accept' } })
})

test('a wrong page name leads to the right page, and nothing that was posted there counts', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place, confirming)
  const path = pagePath(asked)
  await browser.get(path)

  expect(await browser.get(`/elicit/${asked.id}/api-key`)).toMatchObject({ status: 303, location: path })
  expect(await browser.post(`/elicit/${asked.id}/form`, { answer: 'accept' })).toMatchObject({ status: 303 })
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
})

test('pages and their prefix go by the names that an installation gives them', async () => {
  const place = await localPlace({}, { pages: { prefix: 'ask', names: { confirm: 'sure', status: 'state' } } })
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place, confirming)
  expect(pagePath(asked)).toBe(`/ask/${asked.id}/sure`)
  expect((await browser.get(pagePath(asked))).status).toBe(200)
  expect(JSON.parse((await browser.get(`/ask/${asked.id}/state`)).text)).toMatchObject({ status: 'pending' })
})

test('a slash at the end changes nothing', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  expect((await browser.get(`${pagePath(await askLocal(place))}/`)).status).toBe(200)
})

test.each(['%00', 'a%00b', '%zz', '..%2f..', 'x'.repeat(65), '%F0%9F%92%A9'])(
  'an id like %s is unknown, and nobody looks for it',
  async (id) => {
    const place = await localPlace()
    const looked: string[] = []
    const get = (asked: ElicitationId) => {
      looked.push(asked)
      return place.assent.get(asked)
    }
    const web = createWeb({ ...place.assent, get }, { onError: (error) => place.errors.push(error) })
    const browser = await enrolledBrowser({ ...place, web })

    for (const page of ['form', 'status']) expect((await browser.get(`/elicit/${id}/${page}`)).status).toBe(404)
    expect((await browser.get(`/oauth/connect/notes?elicitation_id=${id}`)).status).toBe(404)
    expect([looked, place.errors]).toEqual([[], []])
    await browser.get('/elicit/never-was/form')
    expect(looked).toEqual(['never-was'])
  },
)

describe('a page of one’s own', () => {
  const picked: string[] = []
  const pages = {
    colour: {
      show: (_: unknown, frame: { csrf: string }, errors: readonly { message: string }[]) =>
        `<form method="post"><input name="csrf" value="${frame.csrf}">${errors.map(({ message }) => message)}</form>`,
      read(form: FormData) {
        picked.push(String(form.get('colour')))
        return { action: 'accept', content: { colour: String(form.get('colour')) } } as const
      },
    },
  }
  const schema: FormSchema = { type: 'object', properties: { colour: { type: 'string', maxLength: 5 } } }
  const question = { mode: 'url', message: 'Which colour?', page: 'colour', schema } as const

  test('is shown and read by its author, with our headers and our checks', async () => {
    const place = await localPlace({ pages })
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place, { question })
    const page = await browser.get(pagePath(asked))
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")

    expect((await browser.post(pagePath(asked), { csrf: 'x', colour: 'red' })).status).toBe(403)
    expect((await testBrowser(place).get(pagePath(asked))).status).toBe(403)
    expect(picked).toEqual([])
    const again = await browser.post(pagePath(asked), { colour: 'vermilion' })
    expect(again.status).toBe(422)
    expect(again.text).toContain('at most 5')

    await browser.post(pagePath(asked), { colour: 'red' })
    expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { content: { colour: 'red' } } })
  })
})

test('each answer is in the audit as given on a page', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place)
  await browser.get(pagePath(asked))
  await browser.post(pagePath(asked), { answer: 'decline' })
  expect(await auditOf(place, 'question-answered')).toMatchObject([
    { about: asked.id, data: { action: 'decline', via: 'page' } },
  ])
})
