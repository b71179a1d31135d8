import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams } from '../support/gateway/gateways.ts'
import { freshDatabase, privatePostgres } from '../support/postgres.ts'
import { privateRedis } from '../support/stores/redis.ts'
import { type Balanced, balanced } from './balanced.ts'

const asking = { policy: { default: 'allow', fallback: 'inbox', rules: [{ tool: 'echo', decide: 'ask' }] } } as const
const echo = { name: 'up__echo', arguments: { text: 'hello' } }
const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
const alice = { participant: localParticipant, groups: [] }
const textIn = ({ result }: RawReply) => result?.content?.[0]?.text

async function threeAsking(store: string) {
  const shared = { done: new Set<string>(), runs: [] as string[] }
  const up = await askingUpstreams['2026 over HTTP'](shared)
  return { runs: shared.runs, ...(await balanced(store, { up }, { assentOptions: asking })) }
}

/** Answers what is open, at any instance that reaches the store by now. */
async function answerSoon({ instances: [, b] }: Pick<Balanced, 'instances'>): Promise<void> {
  const open = () => b.assent.listOpen(alice, 10).catch(() => [])
  await expect.poll(async () => (await open()).length).toBe(1)
  const [question] = await open()
  const answer = () => b.assent.answer(question?.id as never, { ...alice, via: 'page' }, yes)
  await expect
    .poll(() =>
      answer().then(
        () => 'answered',
        ({ code }) => code,
      ),
    )
    .toMatch(/answered|settled/)
}

test.each(Object.entries({ postgres: privatePostgres, redis: privateRedis }))(
  'a call that is held at one instance while the server of %s restarts goes on when it is answered at another, and runs once',
  async (_, start) => {
    const server = await start()
    onTestFinished(() => server.stop())
    const { runs, instances } = await threeAsking(server.url)
    const [a, b] = instances
    const calling = rawCall(a.url, { ...echo, elicitation: undefined })
    await expect.poll(async () => (await b.assent.listOpen(alice, 10)).length).toBe(1)
    await server.restart(500)
    await answerSoon({ instances })
    expect(textIn(await calling)).toBe('hello')
    expect(runs).toEqual(['hello'])
  },
)

test('attack: the store is too slow while a yes is given and used; nothing runs then, and once later', async () => {
  const database = await freshDatabase()
  onTestFinished(database.drop)
  const { runs, instances } = await threeAsking(`${database.url}?statement_timeout=200`)
  const [a, b, c] = instances
  const asked = await rawCall(a.url, echo)
  const [key = ''] = Object.keys(asked.result?.inputRequests ?? {})
  const retry = { ...echo, requestState: asked.result?.requestState, inputResponses: { [key]: yes } }

  const slow = new pg.Client(database.url)
  slow.on('error', () => {})
  await slow.connect()
  for (const table of ['assent_elicitation', 'assent_grant', 'assent_audit_event']) {
    await slow.query('begin')
    await slow.query(`lock table ${table}`)
    const replies = await Promise.all([b, c].map(({ url }) => rawCall(url, retry)))
    for (const reply of replies) expect(textIn(reply) ?? reply.error?.message).not.toBe('hello')
    expect(runs).toEqual([])
    await slow.query('rollback')
  }
  await slow.end()

  const ends: RawReply[] = []
  for (const { url } of [a, b, c]) ends.push(await rawCall(url, retry))
  expect(ends.filter((reply) => textIn(reply) === 'hello')).toHaveLength(1)
  expect(runs).toEqual(['hello'])
})
