import { describe, expect, onTestFinished, test } from 'vitest'
import { createWeb, type Web } from '../../src/web/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { anAsk, aSecretAsk } from '../support/asks.ts'
import { enrolledBrowser, signedInBrowser, type TestBrowser, testBrowser } from '../support/test-browser.ts'
import { allowOnce, approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'
import { askLocal, localPlace, type Place } from '../support/web/places.ts'

const minute = 60_000

describe('the inbox', () => {
  test('lists what waits, the newest first, and what is over no more', async () => {
    const place = await approvalPlace()
    const call = await waitingCall(place, { arguments: { path: '/tmp/plan.md' } })
    const soon = (await place.assent.ask(anAsk({ expiresInMs: minute }))).elicitation
    const secret = (await place.assent.ask(aSecretAsk({ expiresInMs: 2 * minute }))).elicitation
    const browser = await signedInBrowser(place, 'alice')
    const { text, headers } = await browser.get('/inbox')
    const ids = [...text.matchAll(/href="\/inbox\?open=([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([secret.id, soon.id, call.id])
    expect(text).toContain('path: /tmp/plan.md')
    expect(text).toContain('Run write_file')
    expect(text).toContain('Save a key for github')
    expect(headers.get('content-security-policy')).toContain("connect-src 'self'")
    expect((await browser.get('/grants')).headers.get('content-security-policy')).not.toContain('connect-src')

    place.clock.advance(minute)
    expect((await browser.get('/inbox')).text).not.toContain(soon.id)
  })

  test('shows the newest of more than 200, counts them all, and leads to the rest', async () => {
    const place = await approvalPlace({}, { limits: { openPerRequester: 300 } })
    for (let number = 0; number < 200; number += 1) await place.assent.ask(anAsk({ about: String(number) }))
    const last = (await place.assent.ask(anAsk({ expiresInMs: minute }))).elicitation
    const { text } = await (await signedInBrowser(place, 'alice')).get('/inbox')
    const ids = [...text.matchAll(/href="\/inbox\?open=([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(20)
    expect(ids[0]).toBe(last.id)
    expect(text).toContain('201 questions are waiting for your answer, the newest first.')
    expect(text).toContain('>Older questions</a>')
  })

  test('says of a question whose session ended that the same call finds it again, on its page too', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const ended =
      'The session that asked this has ended. The same call, made again, finds this question or your answer.'
    const browser = await signedInBrowser(place, 'alice')
    const session = new AbortController()
    place.assent.attend(asked.id, session.signal)
    for (const path of ['/inbox', approvePath(asked)]) expect((await browser.get(path)).text).not.toContain(ended)
    session.abort()
    await expect.poll(async () => (await browser.get('/inbox')).text).toContain(ended)
    expect((await browser.get(approvePath(asked))).text).toContain(ended)
    expect((await browser.get(`/inbox?open=${asked.id}`)).text).toContain(ended)
    await browser.post(approvePath(asked), allowOnce)
    expect((await browser.get(approvePath(asked))).text).not.toContain(ended)
  })

  test('is where people start, and says so when nothing waits', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    expect((await browser.get('/')).location).toBe('/inbox')
    const { text } = await browser.get('/inbox')
    expect(text).toContain('Nothing is waiting for you.')
    expect(text).toContain('<noscript><meta http-equiv="refresh"')
  })

  test('answers in place, and comes back', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get(`/inbox?open=${asked.id}`)
    expect(text).toContain('aria-current="true"')
    expect(text).not.toContain('http-equiv="refresh"')
    const [, action = ''] = /action="([^"]+from=inbox)"/.exec(text) ?? []
    const kept = await browser.post(action, allowOnce)
    expect(kept.location).toBe(`/inbox?done=${asked.id}`)
    expect((await browser.get(kept.location as string)).text).toContain('Run write_file: allowed by you.')
    expect((await place.assent.get(asked.id))?.state).toMatchObject({ by: { via: 'inbox' } })
    expect((await browser.get(`/inbox?open=${asked.id}`)).text).toContain('Allowed once')
    expect((await browser.get('/inbox/history')).text).toContain('Allowed by you')
  })

  test('keeps what was typed in the inbox when something is wrong with it, and still comes back', async () => {
    const place = await approvalPlace()
    const asked = (await place.assent.ask(anAsk())).elicitation
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(`/inbox?open=${asked.id}`)
    const page = await browser.post(`/elicit/${asked.id}/form?from=inbox`, { answer: 'accept', 'field.branch': '' })
    expect(page.status).toBe(422)
    expect(page.text).toContain(`action="/elicit/${asked.id}/form?from=inbox"`)
  })

  test('shows to each only what waits for them, and history too', async () => {
    const place = await approvalPlace({ approvers: ['group:admins'] })
    const asked = await waitingCall(place, { arguments: { path: '/tmp/private' } })
    const [carol, mallory, requester] = await Promise.all(
      ['carol~admins', 'mallory', 'alice'].map((code) => signedInBrowser(place, code)),
    )
    expect((await carol?.get('/inbox'))?.text).toContain('/tmp/private')
    for (const browser of [mallory, requester]) {
      for (const path of ['/inbox', `/inbox?open=${asked.id}`, `/inbox?done=${asked.id}`]) {
        expect((await browser?.get(path))?.text).not.toContain('/tmp/private')
      }
    }
    await carol?.get(approvePath(asked))
    await carol?.post(approvePath(asked), allowOnce)
    expect((await carol?.get('/inbox/history'))?.text).toContain('Allowed by you')
    // The one it was asked for learns how it ended, and is led nowhere.
    const own = (await requester?.get('/inbox/history'))?.text
    expect(own).toContain('Allowed by carol')
    expect(own).not.toContain(asked.id)
    expect((await mallory?.get('/inbox/history'))?.text).toContain('You have not been asked anything yet.')
  })

  test('is closed to who is not known', async () => {
    const place = await localPlace()
    const browser = testBrowser(place)
    for (const path of ['/inbox', '/inbox/history', '/inbox/events', '/grants', '/audit']) {
      expect((await browser.get(path)).status).toBe(403)
    }
  })
})

describe('a live inbox', () => {
  test('is told at once of what is asked and settled, and of nothing that is others’', async () => {
    const place = await approvalPlace({ approvers: ['group:admins'] })
    const carol = await listen(place, await signedInBrowser(place, 'carol~admins'))
    const mallory = await listen(place, await signedInBrowser(place, 'mallory'))
    const asked = await waitingCall(place, { arguments: { path: '/tmp/private' } })
    await expect.poll(() => carol.changes()).toBe(2)
    await place.assent.answer(asked.id, { participant: alice, groups: ['admins'], via: 'page' }, { action: 'decline' })
    await expect.poll(() => carol.changes()).toBe(3)
    expect(mallory.changes()).toBe(1)
    expect(carol.text() + mallory.text()).not.toMatch(/private|write_file|alice/)
    expect(carol.text()).not.toContain(asked.id)
  })

  test('finds what another process did', async () => {
    const place = await localPlace()
    // News of another process are not heard here.
    const deaf = { ...place, web: createWeb({ ...place.assent, events: { listen: () => () => {} } }) }
    const inbox = await listen(deaf, await enrolledBrowser(deaf))
    await settle()
    await askLocal(place)
    expect(inbox.changes()).toBe(1)
    place.clock.advance(2_000)
    await expect.poll(() => inbox.changes()).toBe(2)
  })

  test('beats, ends with the browser’s right to see anything, and ends when the pages close', async () => {
    const place = await approvalPlace()
    const browser = await signedInBrowser(place, 'alice')
    const [one, other] = [await listen(place, browser), await listen(place, await signedInBrowser(place, 'alice'))]
    place.clock.advance(15_000)
    await expect.poll(() => one.text()).toContain(': here')
    const [first] = await place.assent.store.browsers.list(alice)
    await place.assent.store.browsers.remove(alice, first?.id ?? '')
    place.clock.advance(15_000)
    await expect.poll(() => one.isOver()).toBe(true)
    expect(other.isOver()).toBe(false)
    place.web.close()
    await expect.poll(() => other.isOver()).toBe(true)
  })

  test('is open a bounded number of times for one person', async () => {
    const place = await approvalPlace()
    const browser = await signedInBrowser(place, 'alice')
    const streams = await Promise.all(Array.from({ length: 8 }, () => listen(place, browser)))
    expect((await fetchEvents(place.web, browser)).status).toBe(429)
    await streams[0]?.leave()
    expect((await listen(place, browser)).isOver()).toBe(false)
    expect((await listen(place, await signedInBrowser(place, 'bob'))).isOver()).toBe(false)
  })
})

async function fetchEvents(web: Web, { cookies }: TestBrowser): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const url = 'http://127.0.0.1:4180/inbox/events'
  return web.fetch(new Request(url, { headers: { host: '127.0.0.1:4180', cookie } }))
}

async function listen({ web }: Pick<Place, 'web'>, browser: TestBrowser) {
  const response = await fetchEvents(web, browser)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body?.getReader()
  let heard = ''
  let isOver = false
  const reading = (async () => {
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) break
      heard += decoder.decode(value)
    }
    isOver = true
  })()
  const leave = async () => {
    await reader?.cancel()
    await reading
  }
  onTestFinished(leave)
  return {
    changes: () => heard.split('event: changed').length - 1,
    text: () => heard,
    isOver: () => isOver,
    leave,
  }
}

/** Lets what was begun come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
