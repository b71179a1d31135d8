import { describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { alice, anAsk, aSecretAsk, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { anotherProcess } from '../support/processes/another-process.ts'
import { sharedStores } from '../support/stores.ts'

const main = { action: 'accept', content: { branch: 'main' } } as const

describe.each(Object.entries(sharedStores))('two processes on one %s store', (_, address) => {
  test('see each other’s questions and answers, and wake each other’s waiters', async () => {
    const store = await address()
    const other = await anotherProcess(store)
    const here = await anAssent({ store })

    const asked = await other.call('ask', anAsk())
    const waiting = other.call('wait', asked.elicitation.id)
    expect(await here.get(asked.elicitation.id)).toEqual(asked.elicitation)
    expect((await here.ask(anAsk())).joined).toBe(true)
    await here.answer(asked.elicitation.id, onPage(alice), main)
    expect((await waiting).state).toMatchObject({ kind: 'answered', answer: main })

    const secret = await here.ask(aSecretAsk())
    const mine = here.wait(secret.elicitation.id)
    await other.call('answer', secret.elicitation.id, onPage(alice), { action: 'accept', content: { apiKey: 'sk_1' } })
    expect((await mine).state.kind).toBe('answered')
    expect(await here.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_1' } })
    expect(await here.verifyAudit()).toMatchObject({ chains: 2, findings: [] })
  })

  test('that answer the same hundred questions at once keep one answer each, and agree on it', async () => {
    const store = await address()
    const others = await Promise.all([anotherProcess(store), anotherProcess(store)])
    const here = await anAssent({ store })
    const asked = await Promise.all(Array.from({ length: 100 }, (_, n) => here.ask(anAsk({ about: `${n}` }))))
    const answerAll = (branch: string, answer: typeof here.answer) =>
      Promise.all(
        asked.map(({ elicitation }) =>
          answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch } }),
        ),
      )

    const all = await Promise.all([
      answerAll('here', here.answer),
      ...others.map((other, index) => answerAll(`other ${index}`, (...args) => other.call('answer', ...args))),
    ])
    for (const [index, { elicitation }] of asked.entries()) {
      const answers = all.map((answers) => answers[index] as { kind: string; elicitation: Elicitation })
      expect(answers.filter(({ kind }) => kind === 'kept')).toHaveLength(1)
      const kept = await here.get(elicitation.id)
      for (const { elicitation: learned } of answers) expect(learned).toEqual(kept)
    }
    expect((await here.verifyAudit()).findings).toEqual([])
  })

  test('a process killed between ask and answer loses nothing: the answer given after it restarts settles the question', async () => {
    const store = await address()
    const first = await anotherProcess(store)
    const { elicitation } = await first.call('ask', anAsk())
    const { elicitation: secret } = await first.call('ask', aSecretAsk())
    void first.call('wait', elicitation.id).catch(() => {})
    await first.kill()

    const second = await anotherProcess(store)
    expect(await second.call('get', elicitation.id)).toEqual(elicitation)
    expect((await second.call('ask', anAsk())).joined).toBe(true)
    const waiting = second.call('wait', elicitation.id)
    expect(await second.call('answer', elicitation.id, onPage(alice), main)).toMatchObject({ kind: 'kept' })
    expect((await waiting).state.kind).toBe('answered')

    await second.call('answer', secret.id, onPage(alice), { action: 'accept', content: { apiKey: 'sk_1' } })
    await second.kill()
    const third = await anotherProcess(store)
    expect((await third.call('get', elicitation.id))?.state).toMatchObject({ kind: 'answered', answer: main })
    expect(await third.call('find', alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_1' } })
    expect((await third.call('verifyAudit')).findings).toEqual([])
  })

  test('killed at any moment while it asks and answers, a process leaves a store that is whole', async () => {
    const store = await address()
    const here = await anAssent({ store, limits: { openPerRequester: 10_000 } })
    const acknowledged: Elicitation[] = []
    for (const [round, lifeMs] of [5, 20, 45].entries()) {
      const doomed = await anotherProcess(store)
      const alive = new Promise((resolve) => setTimeout(resolve, lifeMs)).then(() => doomed.kill())
      for (let n = 0; n < 300; n++) {
        const walk = doomed.call('ask', anAsk({ about: `${round} ${n}` })).then(async ({ elicitation }) => {
          const answered = await doomed.call('answer', elicitation.id, onPage(alice), main)
          if (answered.kind === 'kept') acknowledged.push(answered.elicitation)
        })
        walk.catch(() => {})
      }
      await alive
    }
    // Whatever was acknowledged is there, and whatever is there can still be answered.
    for (const { id, state } of acknowledged) expect((await here.get(id))?.state).toEqual(state)
    for (const { id } of await here.listOpen({ participant: alice, groups: [] }, 1_000)) {
      expect(await here.answer(id, onPage(alice), main)).toMatchObject({ kind: 'kept' })
    }
    expect((await here.verifyAudit()).findings).toEqual([])
  })
})
