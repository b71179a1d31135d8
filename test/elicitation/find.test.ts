import { describe, expect, test } from 'vitest'
import { type Answer, type Elicitation, type ElicitationState, statusOf } from '../../src/index.ts'
import { anElicitation, fixedClock } from '../../src/testing/index.ts'
import { alice, anAsk, aSecretAsk, bob, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'

const type = 'api-key-stripe'
const key = (apiKey: string) => ({ action: 'accept', content: { apiKey } }) as const

describe.each(everyAssent)('finding an answer again ($name)', ({ assent }) => {
  test('gives the latest settled answer, also while a newer question is open', async () => {
    const one = await assent({ clock: fixedClock('2026-03-01T12:00:00.000Z') })
    expect(await one.find(alice, type)).toBeUndefined()
    const first = await one.ask(aSecretAsk())
    expect(await one.find(alice, type)).toBeUndefined()
    await one.answer(first.elicitation.id, onPage(alice), key('sk_1'))
    const second = await one.ask(aSecretAsk())
    expect(await one.find(alice, type)).toEqual({
      success: true,
      action: 'accept',
      data: { apiKey: 'sk_1' },
      completedAt: new Date('2026-03-01T12:00:00.000Z'),
    })
    await one.answer(second.elicitation.id, onPage(alice), key('sk_2'))
    expect(await one.find(alice, type)).toMatchObject({ data: { apiKey: 'sk_2' } })
    expect(await one.find(bob, type)).toBeUndefined()
  })

  test('the expiry of a question never deletes what was answered', async () => {
    const clock = fixedClock()
    const one = await assent({ clock, retain: { settled: 1 } })
    const { elicitation } = await one.ask(aSecretAsk())
    await one.answer(elicitation.id, onPage(alice), key('sk_1'))
    clock.advance(90 * 86_400_000)
    await one.tidy()
    expect(await one.find(alice, type)).toMatchObject({ data: { apiKey: 'sk_1' } })
  })
})

describe('a result', () => {
  test('is there for the one whose question it was, and for nobody else', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    expect(await assent.getResult(alice, elicitation.id)).toBeUndefined()
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch: 'main' } })
    expect(await assent.getResult(alice, elicitation.id)).toMatchObject({ success: true, data: { branch: 'main' } })
    expect(await assent.getResult(bob, elicitation.id)).toBeUndefined()
    expect(await assent.getResult(alice, 'none' as never)).toBeUndefined()
  })

  test('of a decline is no success and carries no data', async () => {
    const assent = await anAssent({ clock: fixedClock('2026-03-01T12:00:00.000Z') })
    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), { action: 'decline', reason: 'no' })
    const completedAt = new Date('2026-03-01T12:00:00.000Z')
    expect(await assent.getResult(alice, elicitation.id)).toEqual({ success: false, action: 'decline', completedAt })
  })

  test('of a plain confirmation carries no data', async () => {
    const assent = await anAssent()
    const question = { mode: 'url', message: 'Delete it?', page: 'confirm' } as const
    const { elicitation } = await assent.ask(anAsk({ question, purpose: 'confirm' }))
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept' })
    expect(await assent.getResult(alice, elicitation.id)).not.toHaveProperty('data')
  })

  test('of a secret that was given elsewhere carries no data either', async () => {
    const assent = await anAssent()
    const question = { mode: 'url', message: 'Give it there', url: 'https://vault.example.com/' } as const
    const { elicitation } = await assent.ask(aSecretAsk({ question }))
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept' })
    expect(await assent.getResult(alice, elicitation.id)).not.toHaveProperty('data')
  })
})

describe('the status that is shown', () => {
  const at = new Date()
  const by = { participant: alice, via: 'page' } as const
  const answered = (action: Answer['action']): ElicitationState => ({
    kind: 'answered',
    answer: { action } as Answer,
    by,
    at,
  })
  const cases: [Elicitation['state'], string][] = [
    [{ kind: 'open' }, 'pending'],
    [answered('accept'), 'complete'],
    [answered('decline'), 'declined'],
    [answered('cancel'), 'cancelled'],
    [{ kind: 'expired', at }, 'expired'],
    [{ kind: 'failed', reason: 'x', at }, 'failed'],
    [{ kind: 'withdrawn', reason: 'x', at }, 'cancelled'],
  ]
  test.each(cases)('%j is %s', (state, status) => expect(statusOf(anElicitation({ state }))).toBe(status))
})
