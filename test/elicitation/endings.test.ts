import { describe, expect, test } from 'vitest'
import type { Elicitation, ElicitationId } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { anElicitation, answered, fixedClock } from '../../src/testing/index.ts'
import { alice, alicesClient, anAsk, bob, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'

describe.each(everyAssent)('questions whose time is over ($name)', ({ assent }) => {
  test('are settled as expired, all of them and no other, and none is deleted', async () => {
    const clock = fixedClock('2026-03-01T12:00:00.000Z')
    const one = await assent({ clock, limits: { openPerRequester: 1_000 } })
    const asked = await Promise.all(Array.from({ length: 620 }, (_, n) => one.ask(anAsk({ about: `${n}` }))))
    const later = await one.ask(anAsk({ expiresInMs: 3_600_000 }))
    clock.advance(629_999)
    expect(await one.tidy()).toMatchObject({ expired: 0 })
    clock.advance(1)
    expect(await one.tidy()).toEqual({
      expired: 620,
      escalated: 0,
      deletedQuestions: 0,
      deletedEvents: 0,
      deletedSteps: 0,
    })
    expect(await one.tidy()).toMatchObject({ expired: 0 })
    for (const { elicitation } of asked.slice(0, 3)) {
      expect((await one.get(elicitation.id))?.state).toEqual({ kind: 'expired', at: elicitation.expiresAt })
    }
    expect((await one.get(later.elicitation.id))?.state.kind).toBe('open')
  })
})

describe('what is settled', () => {
  test('is deleted when `retain` says so, and the open stays', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, retain: { settled: 86_400_000 }, limits: { openPerRequester: 1_000 } })
    const ids: ElicitationId[] = []
    for (let n = 0; n < 520; n++) ids.push((await assent.ask(anAsk({ about: `${n}` }))).elicitation.id)
    for (const id of ids) await assent.answer(id, onPage(alice), { action: 'cancel' })
    const open = await assent.ask(anAsk({ expiresInMs: 20 * 86_400_000 }))
    expect(await assent.tidy()).toMatchObject({ deletedQuestions: 0 })
    clock.advance(86_400_001)
    expect(await assent.tidy()).toMatchObject({ deletedQuestions: 520 })
    expect(await assent.get(ids[0] as ElicitationId)).toBeUndefined()
    expect((await assent.get(open.elicitation.id))?.state.kind).toBe('open')
  })
})

describe('taking a question back', () => {
  test('is for the requester whose question it is', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    const others = [
      { ...alicesClient, participant: bob },
      { ...alicesClient, client: 'cursor' },
      { ...alicesClient, agents: ['x'] },
    ]
    for (const other of others) {
      await expect(assent.withdraw(elicitation.id, other, 'x')).rejects.toMatchObject({ code: 'participant_mismatch' })
    }
    const withdrawn = await assent.withdraw(elicitation.id, alicesClient, 'the call was cancelled')
    expect(withdrawn.state).toMatchObject({ kind: 'withdrawn', reason: 'the call was cancelled' })
  })

  test('because it no longer stands needs no requester', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    const withdrawn = await assent.withdrawAsObsolete(elicitation.id, 'its rule is gone')
    expect(withdrawn.state).toMatchObject({ kind: 'withdrawn', reason: 'its rule is gone' })
  })

  test('for a reason of any length keeps the beginning of it', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    const { state } = await assent.withdraw(elicitation.id, alicesClient, `\ud800${'x'.repeat(100_000)}`)
    expect(state).toMatchObject({ reason: `\ufffd${'x'.repeat(999)}` })
  })

  test('changes nothing that was settled before', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    expect((await assent.withdraw(elicitation.id, alicesClient, 'x')).state.kind).toBe('answered')
    expect((await assent.fail(elicitation.id, 'x')).state.kind).toBe('answered')
  })
})

describe('a race', () => {
  test('lost to another process is found out by reading again', async () => {
    const store = openMemoryStore()
    const asked = anElicitation()
    await store.elicitations.add(asked, limitedTo(10))
    // Another process answers between our look and our save.
    const { saveIfUnchanged } = store.elicitations
    let first = true
    store.elicitations.saveIfUnchanged = async (next: Elicitation) => {
      if (first) {
        first = false
        await saveIfUnchanged(answered(asked))
      }
      return saveIfUnchanged(next)
    }
    const assent = await anAssent({ store, clock: fixedClock() })
    const failed = await assent.fail(asked.id, 'too late')
    expect(failed).toEqual(answered(asked))
  })

  test('in which the record is forgotten ends as not found', async () => {
    const store = openMemoryStore()
    const asked = anElicitation()
    await store.elicitations.add(asked, limitedTo(10))
    const assent = await anAssent({
      store: {
        ...store,
        elicitations: {
          ...store.elicitations,
          async saveIfUnchanged() {
            await store.elicitations.forget(alice)
            return false
          },
        },
      },
      clock: fixedClock(),
    })
    await expect(assent.fail(asked.id, 'x')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('in which an expired record is forgotten reads as gone', async () => {
    const store = openMemoryStore()
    const asked = anElicitation()
    await store.elicitations.add(asked, limitedTo(10))
    const { saveIfUnchanged } = store.elicitations
    store.elicitations.saveIfUnchanged = async (next) => {
      await store.elicitations.forget(alice)
      return saveIfUnchanged(next)
    }
    const clock = fixedClock()
    const assent = await anAssent({ store, clock })
    clock.advance(24 * 3_600_000)
    expect(await assent.get(asked.id)).toBeUndefined()
  })
})
