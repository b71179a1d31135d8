import { describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { alice, bob } from '../support/approval/a-call.ts'
import { getExisting } from '../support/assents.ts'
import { signedInBrowser } from '../support/test-browser.ts'
import { allowOnce, approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'
import { auditOf, type Place } from '../support/web/places.ts'

async function allowed(place: Place, choice = 'always_allow/tool/hour/this') {
  const asked = await waitingCall(place)
  const browser = await signedInBrowser(place, 'alice')
  await browser.get(approvePath(asked))
  expect((await browser.post(approvePath(asked), { ...allowOnce, 'field.choice': choice })).status).toBe(303)
  const [grant] = await place.assent.approvals.list(alice, 1)
  return { browser, revoke: `/grants/${grant?.id}/revoke` }
}

describe('permissions', () => {
  test('are sentences with who gave them, and can be revoked', async () => {
    const place = await approvalPlace()
    const { browser, revoke } = await allowed(place)
    const { text } = await browser.get('/grants')
    expect(text).toContain('Allows Claude Code (claude-code) to run write_file on files, until')
    expect(text).toContain('Given by <bdi>you</bdi> on a page')
    expect((await browser.post(revoke)).location).toBe('/grants')
    const after = (await browser.get('/grants')).text
    expect(after).toContain('<span class="tag">Revoked</span>')
    expect(after).not.toContain(revoke)
  })

  test('that ended say so, and there may be none', async () => {
    const place = await approvalPlace()
    await allowed(place)
    place.clock.advance(3_600_000)
    // The sign-in is over by then too.
    const again = await signedInBrowser(place, 'alice')
    expect((await again.get('/grants')).text).toContain('<span class="tag">Ended</span>')
    const other = await signedInBrowser(place, 'bob')
    expect((await other.get('/grants')).text).toContain('You have none.')
  })

  test('attack: somebody else, or another site, revokes them', async () => {
    const place = await approvalPlace()
    const { browser, revoke } = await allowed(place)
    const other = await signedInBrowser(place, 'bob')
    await other.get('/grants')
    expect((await other.post(revoke)).status).toBe(404)
    expect((await browser.post(revoke, { csrf: 'guessed' })).status).toBe(403)
    expect((await place.assent.approvals.list(alice, 1))[0]?.revoked).toBeUndefined()
    expect(await auditOf(place, 'page-refused')).toMatchObject([
      { data: { reason: 'not-theirs' } },
      { data: { reason: 'form-old' } },
    ])
  })
})

describe('the audit of a person', () => {
  test('tells what concerns them in plain words, and that nothing was changed', async () => {
    const place = await approvalPlace()
    const { browser } = await allowed(place)
    const { text } = await browser.get('/audit')
    expect(text).toContain('You allowed write_file on files for an hour')
    expect(text).not.toContain('You answered a question')
    expect(text).toContain('files asked whether a call may run, through claude-code')
    expect(text).toContain('The record is whole')
    expect(text).toContain('assent audit export')
  })

  test('tells a lasting yes once, also where two recorded it at the same time', async () => {
    const place = await approvalPlace()
    const { browser } = await allowed(place)
    const [grant] = await place.assent.approvals.list(alice, 1)
    const asked = await getExisting(place.assent, grant?.elicitation as Elicitation['id'])
    await place.assent.store.grants.forget(alice)
    await Promise.all([place.assent.approvals.keepGrant(asked), place.assent.approvals.keepGrant(asked)])
    expect((await auditOf(place, 'grant-made')).length).toBeGreaterThan(1)
    const { text } = await browser.get('/audit')
    expect(text.match(/You allowed write_file on files for an hour/g)).toHaveLength(1)
  })

  test('attack: it holds nothing of others, also for one who tried their pages', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const mallory = await signedInBrowser(place, 'mallory')
    await mallory.get(approvePath(asked))
    await place.assent.answer(asked.id, { participant: alice, groups: [], via: 'page' }, { action: 'decline' })
    const { text } = await mallory.get('/audit')
    expect(text).toContain('You tried to open a page that was refused')
    expect(text).not.toMatch(/files|claude-code|declined|alice/)
    expect((await (await signedInBrowser(place, 'bob')).get('/audit')).text).not.toMatch(/files|claude-code/)
  })

  test('says of others’ doing only that it was someone else’s', async () => {
    const place = await approvalPlace({ approvers: [bob] })
    const asked = await waitingCall(place)
    await place.assent.answer(asked.id, { participant: bob, groups: [], via: 'page' }, { action: 'decline' })
    const { text } = await (await signedInBrowser(place, 'alice')).get('/audit')
    expect(text).toContain('Someone else declined a question')
    expect(text).not.toContain('bob')
  })
})
