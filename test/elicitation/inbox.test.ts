import { expect, test } from 'vitest'
import { readInbox } from '../../src/cli/inbox/read.ts'
import { type Assent, localRequester } from '../../src/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { alice, anAsk, bob } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { enrolledBrowser } from '../support/test-browser.ts'

const person = { participant: alice, groups: ['ops'] }
const local = { participant: localRequester.participant, groups: [] }
const limits = { openPerRequester: 1_000 }
const minute = 60_000

/** Questions to the local person, each more urgent than the one before. */
async function askMany(assent: Assent, count: number, lastMs = minute): Promise<string[]> {
  const ids: string[] = []
  for (let left = count; left > 0; left -= 1) {
    const ask = anAsk({ requester: localRequester, about: `${left} at ${lastMs}`, expiresInMs: lastMs + left })
    ids.unshift((await assent.ask(ask)).elicitation.id)
  }
  return ids
}

test('what waits for a person is listed most urgent first, for them and their groups', async () => {
  const assent = await anAssent()
  const later = (await assent.ask(anAsk({ expiresInMs: 2 * minute }))).elicitation
  const sooner = (await assent.ask(anAsk({ anyOf: ['group:ops'], expiresInMs: minute }))).elicitation
  await assent.ask(anAsk({ anyOf: [bob] }))
  expect(await assent.listOpen(person, 10)).toEqual([sooner, later])
  expect(await assent.listOpen(person, 1)).toEqual([sooner])
  expect(await assent.listOpen(person, 10, sooner.id)).toEqual([later])
})

test('page and terminal list in the same order, also where hundreds wait', async () => {
  const assent = await anAssent({ limits, clock: fixedClock() })
  const newest = await askMany(assent, 250)
  const { text } = await (await enrolledBrowser({ web: createWeb(assent) })).get('/inbox')
  const onPage = [...text.matchAll(/href="\/inbox\?open=([^"]+)"/g)].map(([, id]) => id)
  // However many rows the page shows: they are the newest ones.
  expect(onPage.length).toBeGreaterThan(10)
  expect(onPage).toEqual(newest.slice(0, onPage.length))
  expect((await readInbox(assent)).map(({ asked }) => asked.id)).toEqual(newest)
})

test('questions whose time is over do not take the place of those that can still be answered', async () => {
  const clock = fixedClock()
  const assent = await anAssent({ limits, clock })
  const [inTime] = await askMany(assent, 1, 5 * minute)
  const over = await askMany(assent, 201)
  clock.advance(minute + 300)
  expect((await assent.get(over[0] as never))?.state.kind).toBe('open')
  expect((await assent.listOpen(local, 10)).map(({ id }) => id)).toEqual([inTime])
})
