import { describe, expect, test } from 'vitest'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { Elicitation } from '../../src/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { anAsk } from '../support/asks.ts'
import { getExisting } from '../support/assents.ts'
import { signedInBrowser, type TestBrowser } from '../support/test-browser.ts'
import { approvalPlace, waitingCall } from '../support/web/approvals.ts'
import { auditOf, loginByCode, type Place } from '../support/web/places.ts'

const stateOf = async ({ assent }: Place, { id }: Elicitation) => (await getExisting(assent, id)).state

/** The row of this question in the inbox, as HTML. */
async function rowOf(browser: TestBrowser, { id }: Elicitation): Promise<string> {
  const { text } = await browser.get('/inbox')
  return text.split('<li class="row"').find((part) => part.includes(`open=${id}`)) ?? ''
}

/** The address that a button of the row posts to; undefined where the row has no such button. */
async function buttonOf(browser: TestBrowser, asked: Elicitation, word: 'Allow once' | 'Deny') {
  const button = new RegExp(`<button form="answer" formaction="([^"]+)"[^>]*>${word}</button>`)
  return button.exec(await rowOf(browser, asked))?.[1]?.replaceAll('&amp;', '&')
}

const yes = { answer: 'accept', 'field.choice': 'allow_once' }

async function press(browser: TestBrowser, asked: Elicitation, word: 'Allow once' | 'Deny') {
  const action = await buttonOf(browser, asked, word)
  return browser.post(action as string, { ...yes, answer: word === 'Deny' ? 'decline' : 'accept' })
}

describe('a row of the inbox', () => {
  test('says that it opens, for every question', async () => {
    const place = await approvalPlace()
    const call = await waitingCall(place)
    const form = (await place.assent.ask(anAsk())).elicitation
    const browser = await signedInBrowser(place, 'alice')
    for (const asked of [call, form]) {
      expect(await rowOf(browser, asked)).toMatch(new RegExp(`<a href="/inbox\\?open=${asked.id}"[^>]*>Open</a>`))
    }
    expect(await buttonOf(browser, form, 'Deny')).toBeUndefined()
    expect(await buttonOf(browser, form, 'Allow once')).toBeUndefined()
  })

  test('shows every argument of a short call, and allows that call only', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place, { arguments: { path: '/tmp/plan.md', lines: [1, 2] } })
    const browser = await signedInBrowser(place, 'alice')
    const row = await rowOf(browser, asked)
    expect(row).toContain('<li>path: /tmp/plan.md</li><li>lines: [1,2]</li>')
    expect((await press(browser, asked, 'Allow once')).location).toBe(`/inbox?done=${asked.id}`)
    expect(await stateOf(place, asked)).toMatchObject({
      answer: { action: 'accept', content: { choice: 'allow_once' } },
      by: { via: 'inbox' },
    })
    expect(await place.assent.approvals.list(alice, 10)).toEqual([])
    expect((await browser.get(`/inbox?done=${asked.id}`)).text).toContain('Run write_file: allowed by you.')
  })

  test('denies a call', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    expect((await press(browser, asked, 'Deny')).status).toBe(303)
    expect(await stateOf(place, asked)).toMatchObject({ answer: { action: 'decline' } })
  })

  const unsafe: [what: string, call: Partial<ToolCall>, rule?: object][] = [
    ['arguments that are too long for the row', { arguments: { content: 'x'.repeat(300) } }],
    ['too many arguments', { arguments: { a: 1, b: 2, c: 3, d: 4, e: 5 } }],
    ['an argument of several lines', { arguments: { content: 'one\ntwo' } }],
    ['hidden characters in an argument', { arguments: { to: 'paypal\u200b' } }],
    ['a letter that looks like another in the name of the tool', { tool: 'tr\u0430nsfer' }],
    ['a tool that destroys', { annotations: { destructiveHint: true } }],
    ['arguments that can be changed', {}, { editable: ['path'] }],
  ]
  test.each(unsafe)('offers a no, and no yes, for %s', async (_, call, rule = {}) => {
    const place = await approvalPlace(rule)
    const asked = await waitingCall(place, call)
    const browser = await signedInBrowser(place, 'alice')
    expect(await buttonOf(browser, asked, 'Allow once')).toBeUndefined()
    expect(await buttonOf(browser, asked, 'Deny')).toBeDefined()
  })

  test('offers no yes where the server wrote a message, which only the page shows', async () => {
    const place = await approvalPlace()
    const { call } = (await waitingCall(place)).subject as unknown as { call: ToolCall }
    const approval = await place.assent.approvals.approve({
      call: { ...call, tool: 'send' },
      walkId: 'with-message',
      message: 'I send the report to everyone.',
    })
    if (approval.kind !== 'question') throw new Error(approval.kind)
    const browser = await signedInBrowser(place, 'alice')
    expect(await buttonOf(browser, approval.elicitation, 'Allow once')).toBeUndefined()
    expect(await buttonOf(browser, approval.elicitation, 'Deny')).toBeDefined()
  })

  test('has no buttons where the installation shows approvals on a page of its own', async () => {
    const place = await approvalPlace({ answer: 'page' })
    const asked = await waitingCall(place)
    const own = { show: () => '', read: () => ({ action: 'decline' }) as const }
    const browser = await signedInBrowser(place, 'alice')
    expect(await buttonOf(browser, asked, 'Deny')).toBeDefined()
    const web = createWeb({ ...place.assent, login: loginByCode }, { pages: { approve: own } })
    const other = await signedInBrowser({ web }, 'alice')
    expect(await rowOf(other, asked)).toContain('Open</a>')
    expect(await buttonOf(other, asked, 'Deny')).toBeUndefined()
  })
})

describe('an answer from a row', () => {
  test('that comes after somebody else’s changes nothing, and says so', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    const action = (await buttonOf(browser, asked, 'Allow once')) as string
    await place.assent.answer(asked.id, { participant: alice, groups: [], via: 'page' }, { action: 'decline' })
    const page = await browser.post(action, yes)
    expect(page.status).toBe(409)
    expect(page.text).toContain('You said no')
    expect(page.text).toContain('href="/inbox">Back to the inbox</a>')
    expect(await stateOf(place, asked)).toMatchObject({ answer: { action: 'decline' } })
  })

  test('attack: a yes that was meant for another question is no yes', async () => {
    const place = await approvalPlace()
    const [seen, meant] = [await waitingCall(place), await waitingCall(place, { tool: 'delete_all' })]
    const browser = await signedInBrowser(place, 'alice')
    const action = (await buttonOf(browser, seen, 'Allow once')) as string
    const page = await browser.post(action.replace(seen.id, meant.id), yes)
    expect(page.status).toBe(409)
    expect(page.text).toContain('You were shown another question than this one.')
    expect(page.text).toContain('Run <bdi>delete_all</bdi>')
    const unseen = await browser.post(`/elicit/${meant.id}/approve?from=inbox`, { ...yes, shown: '' })
    expect(unseen.status).toBe(409)
    expect((await stateOf(place, meant)).kind).toBe('open')
  })

  test('attack: a stranger, or another site, posts it', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const [browser, mallory] = [await signedInBrowser(place, 'alice'), await signedInBrowser(place, 'mallory')]
    const action = (await buttonOf(browser, asked, 'Allow once')) as string
    await mallory.get('/inbox')
    expect((await mallory.post(action, yes)).status).toBe(404)
    expect((await browser.post(action, { ...yes, csrf: 'guessed' })).status).toBe(403)
    expect((await browser.post(action, yes, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await stateOf(place, asked)).kind).toBe('open')
    expect(await auditOf(place, 'page-refused')).toHaveLength(3)
  })

  test('attack: it asks for more than the row offers', async () => {
    const place = await approvalPlace({ approvers: ['group:admins'] })
    const asked = await waitingCall(place)
    const carol = await signedInBrowser(place, 'carol~admins')
    const action = (await buttonOf(carol, asked, 'Allow once')) as string
    const page = await carol.post(action, { ...yes, 'field.choice': 'always_allow/tool/day/all' })
    expect(page.status).toBe(422)
    expect((await stateOf(place, asked)).kind).toBe('open')
  })
})
