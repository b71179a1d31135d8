import { describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { audited } from '../support/approval/approving.ts'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { askingGateway, connectAs, openQuestions, type PublishedClient } from '../support/client/replay.ts'
import { allowOnce, answerOnPage } from '../support/server/approving.ts'
import { localPage } from '../support/server/servers.ts'

const both = { form: {}, url: {} }
const revisions = [
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const

describe.each(revisions)('a client of %s that wants a yes that nobody gave', (_, how) => {
  const copilot: PublishedClient = {
    info: { name: 'copilot-cli', version: '1.0.102' },
    how,
    elicitation: both,
    alone: 'accept',
    sees: 'form',
  }
  const args = { path: '/etc/passwd' }

  test('accepts faster than a person: nothing runs, the audit says so, and the question is still there', async () => {
    const place = await askingGateway()
    const client = await connectAs(place, copilot)
    client.answers(allowOnce)
    for (let calls = 0; calls < 3; calls += 1) {
      expect((await client.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    }
    expect(place.deeds).toEqual([])
    expect(await openQuestions(place.assent)).toHaveLength(1)
    expect((await audited(place.assent, 'answered-unseen')).length).toBeGreaterThan(0)
  })

  test('changes its name between the question and the next try: a yes for the one is none for the other', async () => {
    const place = await askingGateway()
    const first = await connectAs(place, copilot)
    first.answers(allowOnce)
    await first.call('write_file', args)
    const [asked] = await openQuestions(place.assent)
    await answerOnPage(place.assent, asked as Elicitation, localPage)

    const renamed = { ...copilot, info: { name: 'claude-code', version: '2.1.325' } }
    const second = await connectAs(place, renamed)
    second.answers(() => ({ action: 'cancel' }))
    // Cancelled by its person or by nobody, as fast as the machine is: in no case a yes.
    expect((await second.call('write_file', args)).isError).toBe(true)
    expect(place.deeds).toEqual([])
    // It still counts for the one it was given to, and for nothing else.
    expect((await first.call('write_file', { path: '/etc/shadow' })).outcome).toMatchObject({ status: 'pending' })
    expect((await first.call('write_file', args)).text).toContain('written')
    expect(place.deeds).toEqual(['write_file'])
  })

  test('pretends to be one without quirks: a rule that wants a page or the inbox does not believe it either', async () => {
    for (const answer of ['page', 'inbox']) {
      const place = await askingGateway(50, { answer })
      const client = await connectAs(place, { ...copilot, info: { name: 'honest-editor', version: '1' } })
      client.answers((shown) => (shown.mode === 'url' ? { action: 'decline' } : allowOnce(shown)))
      expect((await client.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
      expect(place.deeds).toEqual([])
      expect(await openQuestions(place.assent)).toHaveLength(1)
    }
  })

  test('sends a choice that it was not offered, or none: that is no yes', async () => {
    const place = await askingGateway()
    const client = await connectAs(place, { ...copilot, info: { name: 'honest-editor', version: '1' } })
    for (const content of [{ choice: 'Other: yes' }, {}, { choice: '' }, { approve: true }]) {
      client.answers(() => ({ action: 'accept', content: content as never }))
      expect((await client.call('write_file', args)).isError).toBe(true)
    }
    expect(place.deeds).toEqual([])
  })

  test('takes back what another client of the same person asked: it is told nothing, and the question stays open', async () => {
    const place = await askingGateway(50, { answer: 'inbox' })
    const first = await connectAs(place, copilot)
    await first.call('write_file', args)
    const elicitationId = (await openQuestions(place.assent))[0]?.id
    const other = await connectAs(place, { ...copilot, info: { name: 'honest-editor', version: '1' } })
    const stolen = other.request('elicitation/withdraw', { elicitationId })
    await expect(stolen).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`Unknown elicitation: ${elicitationId}`),
    })
    expect(await openQuestions(place.assent)).toHaveLength(1)
    // Its own client takes it back from any of its sessions.
    const again = await connectAs(place, copilot)
    expect(await again.request('elicitation/withdraw', { elicitationId })).toMatchObject({ status: 'cancelled' })
    expect(await openQuestions(place.assent)).toEqual([])
  })
})
