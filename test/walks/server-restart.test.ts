import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Assent, AssentError, type ElicitationId } from '../../src/index.ts'
import { alice, anAsk, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { privatePostgres } from '../support/postgres.ts'
import { privateRedis } from '../support/stores/redis.ts'

/** What any channel does when the store is down: it tries again, and learns if its answer had been kept after all. */
async function answerPatiently(assent: Assent, id: ElicitationId): Promise<void> {
  for (;;) {
    try {
      await assent.answer(id, onPage(alice), { action: 'accept', content: { branch: id } })
      return
    } catch (error) {
      if (!(error instanceof AssentError) || error.code !== 'store_unavailable') throw error
      await sleep(100)
    }
  }
}

test.each([
  ['PostgreSQL', privatePostgres],
  ['Redis', privateRedis],
])('%s restarts in the middle of a thousand waiting questions, and all thousand are answered', async (_, start) => {
  const server = await start()
  onTestFinished(server.stop)
  const limits = { openPerRequester: 1_000 }
  const asking = await anAssent({ store: server.url, limits })
  const answering = await anAssent({ store: server.url, limits })

  const asked = await Promise.all(Array.from({ length: 1_000 }, (_, n) => asking.ask(anAsk({ about: `${n}` }))))
  const ids = asked.map(({ elicitation }) => elicitation.id)
  const waiting = ids.map((id) => asking.wait(id))
  // A third is answered before, a third while it is down, a third after it is back.
  await Promise.all(ids.slice(0, 333).map((id) => answerPatiently(answering, id)))
  const restarting = server.restart()
  const during = ids.slice(333, 666).map((id) => answerPatiently(answering, id))
  await restarting
  await Promise.all([...during, ...ids.slice(666).map((id) => answerPatiently(answering, id))])

  for (const [index, { id, state }] of (await Promise.all(waiting)).entries()) {
    expect(id).toBe(ids[index])
    expect(state).toMatchObject({ kind: 'answered', answer: { content: { branch: id } } })
  }
  expect((await asking.verifyAudit()).findings).toEqual([])
})
