import { expect, test } from 'vitest'
import { enrolledBrowser, pagePath } from '../support/test-browser.ts'
import { askLocal, localPlace } from '../support/web/places.ts'

test('the status of a question is told as JSON, while it is open and when it is over', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place)
  const path = `/elicit/${asked.id}/status`

  const page = await browser.get(path)
  expect(page.headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(page.text)).toEqual({
    elicitationId: asked.id,
    status: 'pending',
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:10:00.000Z',
    completed: false,
  })

  await browser.get(pagePath(asked))
  await browser.post(pagePath(asked), { answer: 'decline' })
  expect(JSON.parse((await browser.get(path)).text)).toMatchObject({ status: 'declined', completed: true })
})

test('the status of a question that never was is not found, as JSON', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const page = await browser.get('/elicit/never-was/status')
  expect(page.status).toBe(404)
  expect(JSON.parse(page.text)).toEqual({ error: 'not_found', message: 'There is no such question.' })
})
