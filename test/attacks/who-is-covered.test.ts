import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { clientWords } from '../../src/approval/question/choice-form.ts'
import { choicesFor, choiceWords, coverWords } from '../../src/approval/question/choices.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { answerInbox } from '../../src/cli/inbox/dialogue.ts'
import type { Requester } from '../../src/index.ts'
import { requesterOf } from '../../src/mcp/caller.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { localRequester, namedClient } from '../../src/participant/requester.ts'
import { aLocalCall, askedAbout } from '../support/approval/local-call.ts'
import { fakeTerminal, plain } from '../support/client/fake-terminal.ts'
import { readPolicy } from '../support/policies.ts'
import { enrolledBrowser } from '../support/test-browser.ts'
import { allowOnce, approvePath } from '../support/web/approvals.ts'
import { localPlace, type Place } from '../support/web/places.ts'

const rules = [{ decide: 'ask' as const }]
const note = 'Without a login, Assent cannot tell the programs on this machine apart: your yes counts for any of them.'

/** A program without a login, by the requester that its request makes. */
const by = (clientName: string, named?: string): Requester => {
  const { participant, client } = requesterOf({}, named)
  return { participant, client, clientName }
}
const careful = by('Careful Agent')
const other = by('Some Other Program')

const callOf = (requester: Requester): ToolCall => aLocalCall({ requester, tool: 'danger' })
const place = (): Promise<Place> => localPlace({}, { policy: { rules } })

async function allowedForAnHour(requester: Requester) {
  const at = await place()
  const asked = await askedAbout(at.assent, callOf(requester))
  const browser = await enrolledBrowser(at)
  const page = await browser.get(approvePath(asked))
  const inbox = await browser.get('/inbox')
  await browser.get(approvePath(asked))
  const choice = { ...allowOnce, 'field.choice': 'always_allow/tool/hour/this' }
  expect((await browser.post(approvePath(asked), choice)).status).toBe(303)
  const settled = await browser.get(approvePath(asked))
  const grants = await browser.get('/grants')
  const runs = async (requester: Requester) =>
    (await at.assent.approvals.approve({ call: callOf(requester), walkId: 'walk-2' })).kind === 'approved'
  return { page: page.text, inbox: inbox.text, settled: settled.text, grants: grants.text, runs }
}

describe('a program takes the name of another, where there is no login', () => {
  test('a yes for it is a yes for any program, and page, inbox and grant say so', async () => {
    const { page, inbox, settled, grants, runs } = await allowedForAnHour(careful)
    // What is true of the grant is what is said of it.
    expect(await runs(other)).toBe(true)
    expect(page).toContain('Allow danger for an hour, for any program on this machine')
    expect(page).toContain('asked by <bdi>a program that calls itself Careful Agent</bdi></span>')
    expect(page).toContain(note)
    expect(inbox).toContain('asked by <bdi>a program that calls itself Careful Agent</bdi>')
    expect(inbox).toContain(note)
    expect(settled).toContain('Allow danger for an hour, for any program on this machine.')
    expect(grants).toContain('Allows any program on this machine to run danger on files')
    for (const text of [page, inbox, settled, grants]) expect(text).not.toMatch(/Careful Agent[^<]*\(local\)/)
  })

  test('so do the form in the client and the terminal', async () => {
    const call = callOf(careful)
    const decision = decide(readPolicy({ rules }), call)
    expect(clientWords(call, decision)).toMatch(new RegExp(`\n${note}$`))
    const words = choicesFor(call, decision, localParticipant, 'form').map((choice) => choiceWords(choice, call, true))
    expect(words.filter((one) => one.includes('Careful Agent'))).toEqual([])
    expect(words).toContain('Allow danger for an hour, for any program on this machine')
    expect(words).toContain('Allow danger until revoked, for every program on this machine, with or without a session')
    expect(coverWords(call)).toBe(
      'What lasts is for any program on this machine; "any client" is for every program on this machine, with or without a session.',
    )

    const { assent } = await place()
    await askedAbout(assent, call)
    const terminal = fakeTerminal({ columns: 140 })
    const env = { NO_COLOR: '1' }
    const at = { ...terminal, env, watch: false, signal: new AbortController().signal }
    const done = answerInbox(assent, at)
    await terminal.see('q quit')
    terminal.type('q\r')
    await done
    expect(plain(terminal.shown())).toContain('asked by   a program that calls itself Careful Agent')
    expect(plain(terminal.shown()).replace(/\s+/g, ' ')).toContain(note)
  })

  test('a yes for one call can be used by any program that makes the same call, which is what the page says', async () => {
    const at = await place()
    const asked = await askedAbout(at.assent, callOf(careful))
    const browser = await enrolledBrowser(at)
    expect((await browser.get(approvePath(asked))).text).toContain(note)
    await browser.post(approvePath(asked), allowOnce)
    const used = await at.assent.approvals.approve({ call: callOf(other), walkId: 'walk-2' })
    expect(used).toMatchObject({ kind: 'approved', grant: { uses: { kind: 'once' } } })
  })

  test('a client is known by its name: a yes for it is for any program that calls itself so, and for no other', async () => {
    const named = by('Careful Agent', 'Careful Agent')
    const { page, grants, runs } = await allowedForAnHour(named)
    expect(await runs(by('Careful Agent ', 'Careful Agent '))).toBe(false)
    expect(await runs(careful)).toBe(false)
    expect(await runs(by('Careful Agent', 'Careful Agent'))).toBe(true)
    const any = 'any program on this machine that calls itself Careful Agent'
    expect(page).toContain(`Allow danger for an hour, for ${any}`)
    expect(grants).toContain(`Allows ${any} to run danger on files`)
  })

  test('a client without a name is called a program on this machine', async () => {
    const { page } = await allowedForAnHour(localRequester)
    expect(page).toContain('asked by <bdi>a program on this machine</bdi></span>')
  })

  test('a client that is bound to its name is any program that takes it', async () => {
    const named: Requester = { participant: localParticipant, client: 'careful', clientName: 'careful' }
    expect(namedClient(named).known).toBe('named')
    const { page, grants, runs } = await allowedForAnHour(named)
    expect(page).toContain('for an hour, for any program on this machine that calls itself careful')
    expect(grants).toContain('Allows any program on this machine that calls itself careful to run danger')
    expect(await runs(other)).toBe(false)
  })
})

test('a name that hides something is marked once on the page', async () => {
  const { page } = await allowedForAnHour(by('C\u0430reful\u202e Agent'))
  const marks = 'C<mark title="Not the letter it looks like">\u0430 U+0430</mark>reful<mark title="A hidden character">'
  expect(page).toContain(`a program that calls itself ${marks}U+202E</mark> Agent`)
})
