import { describe, expect, test } from 'vitest'
import { readClients, readInbox } from '../../src/cli/inbox/read.ts'
import type { Elicitation } from '../../src/index.ts'
import { localRequester } from '../../src/participant/requester.ts'
import { alice } from '../support/approval/a-call.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { anAsk } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { gated } from '../support/gateway/gateways.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { signedInBrowser, type TestBrowser } from '../support/test-browser.ts'
import { loginPlace, type Place } from '../support/web/places.ts'

async function asks(place: Place, client: string, count: number, clientName?: string): Promise<Elicitation[]> {
  const asked: Elicitation[] = []
  for (let about = 0; about < count; about += 1) {
    const requester = { participant: alice, client, ...(clientName !== undefined && { clientName }) }
    asked.push((await place.assent.ask(anAsk({ about: `${client} ${about}`, requester }))).elicitation)
  }
  return asked
}

const idsIn = (text: string) => [...text.matchAll(/[?;]open=([\w-]+)"/g)].map(([, id]) => id)
const linkIn = (text: string, words: string) =>
  new RegExp(`href="([^"]+)">${words}`).exec(text)?.[1]?.replaceAll('&amp;', '&')

/** Follows a link from page to page, and gives every question that was listed. */
async function all(browser: TestBrowser, first: string, words: string): Promise<string[]> {
  const found: string[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const { text } = await browser.get(path)
    found.push(...idsIn(text).map(String))
    path = linkIn(text, words)
  }
  return found
}

describe('an agent that asks hundreds of questions', () => {
  test('hides none of another: the newest of each client is on the first page', async () => {
    const place = await loginPlace({ limits: { perPersonPerMinute: 10_000 } })
    const [before] = await asks(place, 'before', 1, 'Honest')
    for (const session of ['a', 'b', 'c']) await asks(place, `flood-${session}`, 80, 'Flood')
    const [after] = await asks(place, 'after', 1, 'Honest')
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get('/inbox')
    expect(text).toContain('242 questions are waiting for your answer, the newest of each client first.')
    expect(idsIn(text)).toHaveLength(8)
    for (const honest of [before, after]) expect(idsIn(text)).toContain(honest?.id)
    expect(text.match(/<h2>Asked by/g)).toHaveLength(5)
    expect(text).toContain('All 80 questions of this client')
  })

  test('keeps nothing from being found: pages lead to every question of every client', async () => {
    const place = await loginPlace({ limits: { perPersonPerMinute: 10_000 } })
    const asked = [...(await asks(place, 'one', 45)), ...(await asks(place, 'two', 3))]
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get('/inbox')
    const [flood = ''] = [...text.matchAll(/href="(\/inbox\?of=[\w-]+)"/g)].map(([, href]) => href).slice(-1)
    const ofOne = await all(browser, flood, 'Older questions')
    expect(ofOne).toEqual(
      asked
        .slice(0, 45)
        .map(({ id }) => id)
        .reverse(),
    )
    const { text: page } = await browser.get(flood)
    expect(page).toContain('<h2>Asked by')
    expect(linkIn(page, 'Newest questions of all clients')).toBe('/inbox')
    // An opened question keeps its place in the list.
    const older = linkIn(page, 'Older questions') as string
    const open = /href="(\/inbox\?[^"]*open=[^"]+)"/
      .exec((await browser.get(older)).text)?.[1]
      ?.replaceAll('&amp;', '&')
    const beside = (await browser.get(open as string)).text
    expect(linkIn(beside, 'Back to the inbox')).toBe(older)
    expect(idsIn(beside)).toContain(asked[10]?.id)
  })

  test('keeps no client from being found, though another has hundreds of names', async () => {
    const place = await loginPlace({ limits: { perPersonPerMinute: 10_000 } })
    const [honest] = await asks(place, 'honest', 1)
    for (let session = 0; session < 35; session += 1) await asks(place, `name-${session}`, 1)
    const browser = await signedInBrowser(place, 'alice')
    const found = await all(browser, '/inbox', 'Clients that asked earlier')
    expect(found).toHaveLength(36)
    expect(new Set(found).size).toBe(36)
    expect(found.at(-1)).toBe(honest?.id)
  })

  test('is refused when it has asked enough under all its names together', async () => {
    const { url } = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('acted') : undefined), [
      { name: 'act' },
    ])
    const gate = await gated(
      { up: { url } },
      {
        clocks: { hold: 50 },
        assentOptions: {
          policy: { default: 'ask', fallback: 'inbox' },
          limits: { openPerRequester: 2, openPerParticipant: 5 },
        },
      },
    )
    const outcomes: (string | undefined)[] = []
    for (let session = 0; session < 4; session += 1) {
      const info = { name: `agent ${session}`, version: '1' }
      const client = await gate.connect(connect11, { elicitation: undefined, info })
      for (const about of ['1', '2']) outcomes.push((await client.call('up__act', { about })).outcome?.reason)
    }
    expect(outcomes.slice(0, 5)).not.toContain('too-many-open')
    expect(outcomes.slice(5)).toEqual(['too-many-open', 'too-many-open', 'too-many-open'])
  })
})

test('a page whose questions were all answered leads back to the inbox, and one that names nobody too', async () => {
  const place = await loginPlace()
  const [first] = await asks(place, 'one', 1)
  const browser = await signedInBrowser(place, 'alice')
  for (const path of [`/inbox?after=${first?.id}`, '/inbox?of=nobody', '/inbox?of=nobody&after=x']) {
    expect((await browser.get(path)).location).toBe('/inbox')
  }
  for (const path of ['/inbox?of=%3Cscript%3E', '/inbox?after=nonsense']) {
    expect(idsIn((await browser.get(path)).text)).toEqual([first?.id])
  }
})

test('in the terminal the newest question of each client comes first, then the next of each', async () => {
  const assent = await anAssent({ limits: { openPerRequester: 1_000 } })
  const ask = async (client: string, about: string) =>
    (await assent.ask(anAsk({ about, requester: { ...localRequester, client } }))).elicitation.id
  const flood: string[] = []
  for (let about = 0; about < 250; about += 1) flood.unshift(await ask('flood', String(about)))
  const [b1, b2, a1] = [await ask('b', '1'), await ask('b', '2'), await ask('a', '1')]
  expect((await readInbox(assent)).map(({ asked }) => asked.id)).toEqual([a1, b2, flood[0], b1, ...flood.slice(1)])
  expect((await readClients(assent)).map((items) => items.length)).toEqual([1, 2, 250])
})
