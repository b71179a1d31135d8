import { expect, test } from 'vitest'
import { peopleIn } from '../../src/participant/people.ts'
import { alice } from '../support/approval/a-call.ts'
import { asks } from '../support/approval/approving.ts'
import { person } from '../support/approval/voting.ts'
import { anAssent } from '../support/assents.ts'
import { signedInBrowser } from '../support/test-browser.ts'
import { approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'

const optionsIn = (html: string) =>
  [...html.matchAll(/<option value="([^"]+)">([^<]*)</g)].map(([, name, words]) => [name, words])

test('suggests people who signed in before and groups of the login, and nobody who could not receive it', async () => {
  const place = await approvalPlace({ approvers: ['group:finance'], delegate: true })
  const asked = await waitingCall(place)
  for (const who of ['lea~leads', 'lea~leads~board', 'alice~staff']) await signedInBrowser(place, who)
  const dave = await signedInBrowser(place, 'dave~finance~buyers')
  const expected = [
    ['group:buyers', 'anyone in this group'],
    ['group:staff', 'anyone in this group'],
    ['group:leads', 'anyone in this group'],
    ['group:board', 'anyone in this group'],
    [person('lea'), 'lea'],
  ]
  for (const path of [approvePath(asked), `/inbox?open=${asked.id}`]) {
    const options = optionsIn((await dave.get(path)).text)
    // Neither dave, nor the requester, nor the group that is asked already.
    expect(options.sort()).toEqual(expected.sort())
  }
})

test('with names in the rule, suggests these and the people who are in them', async () => {
  const place = await approvalPlace({ approvers: ['group:finance'], delegate: ['group:leads', person('max')] })
  const asked = await waitingCall(place)
  for (const who of ['lea~leads', 'tom~staff']) await signedInBrowser(place, who)
  const dave = await signedInBrowser(place, 'dave~finance')
  const names = optionsIn((await dave.get(approvePath(asked))).text).map(([name]) => name)
  expect(names.sort()).toEqual(['group:leads', person('lea'), person('max')].sort())
})

test('what is typed is checked: a name that nobody can have, of another login, or that is no name', async () => {
  const issuer = 'https://login.example.com'
  const policy = { rules: [{ decide: 'ask', approvers: ['group:finance'], delegate: true }] } as never
  const assent = await anAssent({ policy, auth: { issuer, audience: 'https://assent.test/mcp' } })
  const asked = await asks(assent)
  const dave = { participant: person('dave'), groups: ['finance'], via: 'page' } as const
  const handTo = async (to: string) =>
    JSON.stringify(
      await assent.answer(asked.id, dave, { action: 'accept', content: { choice: 'delegate', delegateTo: to } }),
    )
  expect(await handTo('lea')).toContain('Name whom you hand it on to')
  for (const to of ['lea@https://other.example.com', 'local']) {
    expect(await handTo(to)).toContain(`written subject@${issuer}`)
  }
  expect(await handTo(person('lea'))).toContain('"kind":"delegated"')
})

test('where Assent does not know who people are, every name may be somebody', async () => {
  const { problemWith } = peopleIn({ list: async () => [] })
  expect(problemWith(alice)).toBeUndefined()
  expect(peopleIn({ list: async () => [] }, 'https://login.example.com').problemWith('group:a')).toBeUndefined()
})
