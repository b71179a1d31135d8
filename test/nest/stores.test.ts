import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import type { Elicitation, IElicitationStore } from '../../src/nest/index.ts'
import { storeFor } from '../../src/nest/seed-store.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { connect26 } from '../support/asking/asking-clients.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { nestApp } from './apps.ts'
import { callVisiting } from './persons.ts'
import { TestGuard } from './start-app.ts'

/** The store of the custom store example, with a map in the place of Redis: everything passes as JSON. */
class JsonStore implements IElicitationStore {
  readonly kept = new Map<string, string>()
  readonly results = new Map<string, string>()

  async storeElicitation(elicitation: Elicitation): Promise<void> {
    this.kept.set(`elicitation:${elicitation.elicitationId}`, JSON.stringify(elicitation))
  }

  async getElicitation(elicitationId: string): Promise<Elicitation | undefined> {
    const data = this.kept.get(`elicitation:${elicitationId}`)
    return data ? JSON.parse(data) : undefined
  }

  async storeResult(result: { elicitationId: string; userId?: string; type?: string }): Promise<void> {
    this.results.set(JSON.stringify([result.userId, result.type]), JSON.stringify(result))
  }

  async findResultByUserAndType(userId: string, type: string): Promise<{ elicitationId: string } | undefined> {
    const data = this.results.get(JSON.stringify([userId, type]))
    return data ? JSON.parse(data) : undefined
  }
}

/**
 * The custom store of the guide as it is written there: Redis forgets an entry at its `expiresAt`, and refuses one whose
 * time is over already. A map in the place of Redis, which keeps the same two rules.
 */
class ForgettingStore extends JsonStore {
  readonly #clock: Pick<Clock, 'now'>

  constructor(clock: Pick<Clock, 'now'>) {
    super()
    this.#clock = clock
  }

  override async storeElicitation(elicitation: Elicitation): Promise<void> {
    const ms = elicitation.expiresAt.getTime() - this.#clock.now().getTime()
    if (ms <= 0) throw new Error('ERR invalid expire time in SET')
    await super.storeElicitation(elicitation)
  }

  override async getElicitation(elicitationId: string): Promise<Elicitation | undefined> {
    const kept = await super.getElicitation(elicitationId)
    return kept && new Date(kept.expiresAt) > this.#clock.now() ? kept : undefined
  }
}

/** The same with compare-and-set: JavaScript runs it in one step. */
class ComparingStore extends JsonStore {
  async replaceElicitation(next: Elicitation, isUnchanged: (kept: Elicitation) => boolean): Promise<boolean> {
    const data = this.kept.get(`elicitation:${next.elicitationId}`)
    if (data === undefined || !isUnchanged(JSON.parse(data))) return false
    this.kept.set(`elicitation:${next.elicitationId}`, JSON.stringify(next))
    return true
  }
}

describe('a store of the kind that url elicitation modules define', () => {
  test('keeps questions and answers, finds them after a restart, and never sees a key', async () => {
    const store = new JsonStore()
    const module = {
      guards: [TestGuard],
      keys: testKeys,
      issuer: 'https://login.example.com',
      storeConfiguration: { type: 'custom', store } as const,
    }
    const call = async () => {
      const app = await nestApp({ guarded: true, module })
      const client = await connect26({ url: app.url, token: 'alice' })
      onTestFinished(() => client.close())
      const result = await callVisiting(client, 'connect-service', { service: 'stripe' }, (url) =>
        postKey(url, app.origin),
      )
      return { text: result.text, asked: client.asked.length }
    }
    expect(await call()).toEqual({ text: 'Connected to stripe', asked: 1 })
    expect(await call()).toEqual({ text: 'Connected to stripe', asked: 0 })
    expect(JSON.stringify([...store.kept, ...store.results])).not.toContain('sk_planted')
  })

  test('is warned about loudly where it cannot compare and set, and not where it can', () => {
    const said: string[] = []
    storeFor(new JsonStore(), (message) => said.push(message))
    expect(said.join('\n')).toContain('ONE process only')
    const fewer: string[] = []
    storeFor(new ComparingStore(), (message) => fewer.push(message))
    expect(fewer.join('\n')).not.toContain('ONE process only')
  })

  test('that expires its entries loses neither an answer nor the end of a question', async () => {
    const clock = fixedClock()
    const shared = new ForgettingStore(clock)
    const first = await anAssentOn(shared, clock)
    const requester = { participant: 'local' as never, client: 'local' }
    const ask = (type: string) =>
      first.ask({
        question: { mode: 'url', message: 'Which key?', page: 'api-key' },
        purpose: 'secret',
        type,
        origin: { server: 'shop' },
        requester,
      })
    const answering = { participant: requester.participant, groups: [], via: 'page' } as const
    const { elicitation } = await ask('answered')
    await first.answer(elicitation.id, answering, { action: 'accept', content: { apiKey: 'planted' } })
    const { elicitation: unanswered } = await ask('unanswered')

    clock.advance(3_600_000)
    await first.tidy()
    const second = await anAssentOn(shared, clock)
    expect((await second.find(requester.participant, 'answered'))?.data).toEqual({ apiKey: 'planted' })
    expect((await second.get(unanswered.id))?.state.kind).toBe('expired')
  })

  test('with compare-and-set lets two processes settle a question once, and wakes the one that waits', async () => {
    const shared = new ComparingStore()
    const [one, two] = [await anAssentOn(shared), await anAssentOn(shared)]
    const requester = { participant: 'local' as never, client: 'local' }
    const { elicitation } = await one.ask({
      question: { mode: 'url', message: 'Which key?', page: 'api-key' },
      purpose: 'secret',
      origin: { server: 'shop' },
      requester,
    })
    const waiting = one.wait(elicitation.id)
    const answering = { participant: requester.participant, groups: [], via: 'page' } as const
    const answers = await Promise.all(
      [one, two].map((assent, n) =>
        assent.answer(elicitation.id, answering, { action: 'accept', content: { apiKey: `planted ${n}` } }),
      ),
    )
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['kept', 'late'])
    expect((await waiting).state.kind).toBe('answered')
    const results = await Promise.all(
      [one, two].map((assent) => assent.getResult(requester.participant, elicitation.id)),
    )
    expect(results[0]?.data).toEqual(results[1]?.data)
  })
})

const anAssentOn = (store: IElicitationStore, clock?: Clock) =>
  anAssent({ store: storeFor(store, () => {}), keys: testKeys, ...(clock !== undefined && { clock }) })

async function postKey(url: string, origin: string): Promise<void> {
  const page = await fetch(url, { headers: { cookie: 'user=alice' } })
  const cookie = `user=alice; ${page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')}`
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const posted = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin },
    body: new URLSearchParams({ csrf, answer: 'accept', 'field.apiKey': 'sk_planted_store' }),
  })
  expect(posted.status).toBe(303)
}
