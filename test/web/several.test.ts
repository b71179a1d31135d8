import { describe, expect, test } from 'vitest'
import type { Answering, Elicitation, ParticipantId } from '../../src/index.ts'
import { type CustomPage, createWeb } from '../../src/web/index.ts'
import { alice, bob } from '../support/approval/a-call.ts'
import { anAsk } from '../support/asks.ts'
import { signedInBrowser, type TestBrowser } from '../support/test-browser.ts'
import { approvalPlace, waitingCall } from '../support/web/approvals.ts'
import { loginByCode, type Place } from '../support/web/places.ts'

const path = (...asked: readonly { readonly id: string }[]) =>
  `/inbox/several?${asked.map(({ id }) => `q=${id}`).join('&')}`

const stateOf = async ({ assent }: Place, { id }: Elicitation) => (await assent.get(id))?.state

/** Waiting calls of alice, each of another tool. */
const waiting = async (place: Place, ...tools: readonly string[]) =>
  Promise.all(tools.map((tool) => waitingCall(place, { tool, arguments: { path: `/tmp/${tool}` } })))

/** What the page of several shows, as a browser posts it when everything stays ticked. */
async function fieldsOf(browser: TestBrowser, asked: readonly Elicitation[]): Promise<[string, string][]> {
  const { text, status } = await browser.get(path(...asked))
  expect(status).toBe(200)
  const ticked = [...text.matchAll(/name="q" value="([^"]+)" checked/g)].map(([, id = '']): [string, string] => [
    'q',
    id,
  ])
  const shown = [...text.matchAll(/name="(shown\.[^"]+)" value="([^"]+)"/g)]
  return [
    ['csrf', browser.csrf],
    ...ticked,
    ...shown.map(([, name = '', value = '']): [string, string] => [name, value]),
  ]
}

/** Posts these fields, and reads what the inbox says then. */
async function post(browser: TestBrowser, answer: 'accept' | 'decline', fields: readonly [string, string][]) {
  const { status, location } = await browser.send('/inbox/several', [...fields, ['answer', answer]])
  expect(status).toBe(303)
  const { text } = await browser.get(location as string)
  return [...text.matchAll(/<li><bdi>([^<]*)<\/bdi> <a [^>]*>See what happened/g)].map(([, words = '']) => words)
}

describe('several questions together', () => {
  test('are selected in the inbox, each shown in full, and each answered on its own record', async () => {
    const place = await approvalPlace({ reason: 'Writes need your yes.' })
    const [first, second, third] = await waiting(place, 'one', 'two', 'three')
    const form = (await place.assent.ask(anAsk())).elicitation
    const browser = await signedInBrowser(place, 'alice')
    expect((await browser.get('/inbox')).text).toContain('<a href="/inbox?select=1">Select several</a>')
    const selecting = (await browser.get('/inbox?select=1')).text
    for (const { id } of [first, second, third] as Elicitation[]) {
      expect(selecting).toContain(`form="several" name="q" value="${id}"`)
    }
    // A form has fields of its own, and what is selected must not be lost by reloading.
    expect(selecting).not.toContain(`value="${form.id}"`)
    expect(selecting).not.toContain('http-equiv="refresh"')

    const asked = [first, third] as Elicitation[]
    const { text } = await browser.get(path(...asked))
    for (const part of ['/tmp/one', '/tmp/three', 'Writes need your yes.', '<code>one</code>'])
      expect(text).toContain(part)
    const fields = await fieldsOf(browser, asked)
    expect(await post(browser, 'accept', fields)).toEqual(['Run one: allowed by you.', 'Run three: allowed by you.'])
    for (const one of asked) {
      expect(await stateOf(place, one)).toMatchObject({
        answer: { content: { choice: 'allow_once' } },
        by: { participant: alice, via: 'inbox' },
      })
    }
    expect(await stateOf(place, second as Elicitation)).toEqual({ kind: 'open' })
    // Posted again, as by the button "back", it changes nothing and says so.
    expect(await post(browser, 'decline', fields)).toEqual([
      'Run one: settled before your answer, allowed by you.',
      'Run three: settled before your answer, allowed by you.',
    ])
  })

  test('what is not ticked any more stays open; a no carries its reason to each', async () => {
    const place = await approvalPlace()
    const asked = await waiting(place, 'one', 'two', 'three')
    const browser = await signedInBrowser(place, 'alice')
    const fields = (await fieldsOf(browser, asked)).filter(([name, id]) => name !== 'q' || id !== asked[1]?.id)
    await post(browser, 'decline', [...fields, ['field.reason', ' Not today. ']])
    const states = await Promise.all(asked.map((one) => stateOf(place, one)))
    expect(states).toMatchObject([
      { answer: { action: 'decline', reason: 'Not today.' } },
      { kind: 'open' },
      { answer: { action: 'decline', reason: 'Not today.' } },
    ])
  })

  test('a yes leaves out what must be signed and what can be changed, with words; a no is given to all', async () => {
    const signed = await approvalPlace({ answer: 'passkey' }, { publicUrl: 'http://localhost:4180' })
    const changed = await approvalPlace({ editable: ['path'] })
    for (const [place, words] of [
      [signed, 'A yes to this one must be signed with a passkey, so Allow leaves it out.'],
      [changed, 'Its arguments can be changed, which is done on its own page, so Allow leaves it out.'],
    ] as const) {
      const asked = await waiting(place, 'one', 'two')
      const browser = await signedInBrowser(place, 'alice')
      const { text } = await browser.get(path(...asked))
      expect(text).toContain(words)
      expect(text).toMatch(/value="accept" disabled/)
      const fields = await fieldsOf(browser, asked)
      const said = await post(browser, 'accept', fields)
      expect(said).toEqual(['one', 'two'].map((tool) => `Run ${tool}: left out. ${words}`))
      for (const one of asked) expect(await stateOf(place, one)).toEqual({ kind: 'open' })
      expect(await post(browser, 'decline', fields)).toEqual(['Run one: denied by you.', 'Run two: denied by you.'])
    }
  })

  test('attack: ids are posted that were not shown, or another was shown: no yes without what was seen', async () => {
    const place = await approvalPlace()
    const [one, two, other] = (await waiting(place, 'one', 'two', 'other')) as [Elicitation, Elicitation, Elicitation]
    const browser = await signedInBrowser(place, 'alice')
    const fields = await fieldsOf(browser, [one, two])
    const swapped = fields.map(([name, value]): [string, string] =>
      name === `shown.${two.id}` ? [`shown.${other.id}`, value] : [name, value],
    )
    expect(await post(browser, 'accept', [...swapped, ['q', other.id]])).toEqual([
      'Run one: allowed by you.',
      'Run two: left out, because it changed after it was shown to you. Look at it again.',
      'Run other: left out, because it changed after it was shown to you. Look at it again.',
    ])
    for (const left of [two, other]) expect(await stateOf(place, left)).toEqual({ kind: 'open' })
  })

  test('attack: somebody else posts them, another site does, or the token is missing: nothing is answered', async () => {
    const place = await approvalPlace()
    const asked = await waiting(place, 'one', 'two')
    const browser = await signedInBrowser(place, 'alice')
    const fields = await fieldsOf(browser, asked)
    const mallory = await signedInBrowser(place, 'mallory')
    await mallory.get('/grants')
    const stolen = fields.map(([name, value]): [string, string] => [name, name === 'csrf' ? mallory.csrf : value])
    const { text } = await mallory.get(path(...asked))
    expect(text).not.toContain('/tmp/one')
    expect(await post(mallory, 'accept', stolen)).toEqual([])
    const answer: [string, string] = ['answer', 'accept']
    expect((await browser.send('/inbox/several', [...fields.slice(1), answer])).status).toBe(403)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await browser.send('/inbox/several', [...fields, answer], foreign)).status).toBe(403)
    for (const one of asked) expect(await stateOf(place, one)).toEqual({ kind: 'open' })
  })

  test('with a quorum each yes is one vote of its own, and who voted is not asked again', async () => {
    const place = await approvalPlace({ approvers: ['group:finance'], quorum: 2 })
    const asked = await waiting(place, 'one', 'two')
    const carol = await signedInBrowser(place, 'carol~finance')
    expect(await post(carol, 'accept', await fieldsOf(carol, asked))).toEqual([
      'Run one: You said yes. Now others must.',
      'Run two: You said yes. Now others must.',
    ])
    const again = (await carol.get(path(...asked))).text
    expect(again).toContain('Nothing to answer')
    expect(again).toContain('You said yes. Now others must.')
    const list = (await carol.get('/inbox')).text
    expect(list).toContain('1 of 2 people said yes.')
    expect(list).not.toContain('Allow once')
    const dave = await signedInBrowser(place, 'dave~finance')
    expect((await dave.get(path(...asked))).text).toContain('carol said yes')
    expect(await post(dave, 'accept', await fieldsOf(dave, asked))).toEqual([
      'Run one: allowed by you.',
      'Run two: allowed by you.',
    ])
  })

  test('no more than twenty are taken, and nothing selected leads back to selecting', async () => {
    const place = await approvalPlace({}, { limits: { openPerRequester: 50 } })
    const asked = await waiting(place, ...Array.from({ length: 22 }, (_, index) => `tool-${index}`))
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get(path(...asked))
    expect(text.match(/name="q"/g)).toHaveLength(20)
    expect(text).toContain('Only 20 questions can be answered together. 2 are left out.')
    expect((await browser.get('/inbox/several')).location).toBe('/inbox?select=1')
    expect(
      (
        await browser.send('/inbox/several', [
          ['csrf', browser.csrf],
          ['answer', 'accept'],
        ])
      ).location,
    ).toBe('/inbox')
  })

  test('what was settled, is gone or has a page of its own is named and left out', async () => {
    const place = await approvalPlace({ approvers: [alice, bob] })
    const [settled, open] = (await waiting(place, 'one', 'two')) as [Elicitation, Elicitation]
    await place.assent.answer(settled.id, { participant: bob, groups: [], via: 'page' }, { action: 'decline' })
    const form = (await place.assent.ask(anAsk())).elicitation
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get(path(settled, open, form, { id: 'unknown' }))
    expect(text).toContain('Run one: it was settled meanwhile.')
    expect(text).toContain('it has a page of its own. Open it to answer it.')
    expect(text).toContain('One of the questions: it is not there any more.')
    expect(text.match(/name="q"/g)).toHaveLength(1)
  })

  test('a store that fails for one does not hide what became of the others', async () => {
    const place = await approvalPlace()
    const asked = await waiting(place, 'one', 'two')
    const browser = await signedInBrowser(place, 'alice')
    const fields = await fieldsOf(browser, asked)
    const { elicitations } = place.assent.store
    const save = elicitations.saveIfUnchanged.bind(elicitations)
    elicitations.saveIfUnchanged = async (next) => {
      if (next.id === asked[0]?.id) throw new Error('The disk is full.')
      return save(next)
    }
    expect(await post(browser, 'accept', fields)).toEqual([
      'Run one: your answer was not taken. Open it to see why.',
      'Run two: allowed by you.',
    ])
    expect(place.errors).toHaveLength(1)
  })
})

describe('a page of the installation’s own for approvals', () => {
  const own: CustomPage = {
    show: (asked, { csrf }) =>
      `<form method="post"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="shown" value="${asked.voting?.edit ? `${asked.identity}.${asked.voting.edit.digest}` : asked.identity}"></form>`,
    read: (form) => ({
      action: 'accept',
      content: { choice: 'allow_once', edit_content: String(form.get('content')) },
    }),
  }

  test('attack: another approver edits after it was shown, and its yes is for what it showed', async () => {
    const rule = { approvers: ['group:finance'], quorum: 2, editable: ['content'], answer: 'page' }
    const place = await approvalPlace(rule)
    const asked = await waitingCall(place, { arguments: { path: '/tmp/x', content: 'hello' } })
    const web = createWeb({ ...place.assent, login: loginByCode }, { pages: { approve: own } })
    const dave = await signedInBrowser({ web }, 'dave~finance')
    const path = `/elicit/${asked.id}/approve`
    expect((await dave.get(path)).status).toBe(200)
    const erin = { participant: 'erin@https://login.example.com' as ParticipantId, groups: ['finance'], via: 'page' }
    const content = { choice: 'allow_once', edit_content: 'rm -rf' }
    const edited = await place.assent.answer(asked.id, erin as Answering, { action: 'accept', content })
    expect(edited.kind).toBe('counted')
    // However the form is filled in: with what the page does not know of, too, and without saying what it showed.
    const csrf: [string, string] = ['csrf', dave.csrf]
    for (const fields of [[['shown', dave.shown]], []] as [string, string][][]) {
      expect((await dave.send(path, [csrf, ['content', 'rm -rf'], ...fields])).status).toBe(422)
    }
    expect(await stateOf(place, asked)).toEqual({ kind: 'open' })
    await dave.get(path)
    expect((await dave.post(path, { content: 'rm -rf' })).status).toBe(303)
    expect(await stateOf(place, asked)).toMatchObject({ kind: 'answered', answer: { action: 'accept' } })
  })
})
