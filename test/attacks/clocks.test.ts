import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { Assent } from '../../src/index.ts'
import { openPostgresStore } from '../../src/stores/postgres/open.ts'
import { openRedisStore } from '../../src/stores/redis/open.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { anAssent } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { serverStores } from '../support/stores.ts'
import { pathIn } from '../support/test-browser.ts'
import { type Instance, type Instances, threeInstances } from '../support/walks/instances.ts'
import { anUpstream } from '../support/walks/killing.ts'
import { allowOnce, approvePath } from '../support/web/approvals.ts'

beforeAll(buildPackage)

const asks = (...tools: string[]) =>
  `policy: { default: allow, fallback: inbox, rules: [${tools.map((tool) => `{ tool: ${tool}, decide: ask }`).join(', ')}] }\n`
const yes = { action: 'accept', content: { choice: 'allow_once' } }
const word = { action: 'accept', content: { word: 'blue' } }
const saidIn = ({ result }: RawReply) => result?.content?.[0]?.text
const outcomeIn = ({ result }: RawReply) => result?._meta?.['assent/outcome']
const answerTo = ({ result }: RawReply, answer: object) =>
  Object.fromEntries(Object.keys(result?.inputRequests ?? {}).map((key) => [key, answer]))

/** Every way to choose an asking, an answering and a running instance. */
const triples = [0, 1, 2].flatMap((ask) =>
  [0, 1, 2].flatMap((answer) => [0, 1, 2].map((run) => [ask, answer, run] as const)),
)

function callAt({ mcp, token }: Instances, instance: Instance, call: Omit<Parameters<typeof rawCall>[1], 'token'>) {
  return rawCall(mcp(instance), { ...call, token })
}

const onEach = Object.entries(serverStores)

describe('three instances whose clocks are ten minutes early, right and ten minutes late', () => {
  test('attack: a spent state is sent again after the step that guards it was tidied away, and runs nothing', async () => {
    const up = await anUpstream('2026')
    const instances = await threeInstances(up.url, { settings: `${asks('ask')}clocks: { state: 1m }\n` })
    const { early, right, late, kept } = instances
    const call = { name: 'ask', arguments: { id: 'one' } }
    const first = await callAt(instances, early, call)
    const form = await callAt(instances, early, {
      ...call,
      requestState: first.result?.requestState,
      inputResponses: answerTo(first, yes),
    })
    const last = { ...call, requestState: form.result?.requestState, inputResponses: answerTo(form, word) }
    expect(saidIn(await callAt(instances, late, last))).toBe('one: blue')
    expect(outcomeIn(await callAt(instances, right, last))?.status).toBe('already-run')
    await kept.tidy()
    for (const instance of instances.all) {
      expect(outcomeIn(await callAt(instances, instance, last))?.status).toBe('already-run')
    }
    expect(await up.runs()).toEqual(['one blue'])
  })

  test.each(Object.entries(serverStores))(
    'attack: an early clock ends the questions of the others; asked, answered and run anywhere on %s, each runs once',
    async (_, address) => {
      const up = await anUpstream('2026')
      const instances = await threeInstances(up.url, { settings: asks('work'), store: await address() })
      const { all, kept } = instances
      const browser = await instances.signedIn(instances.right)
      const upkeeps = await Promise.all(all.map(({ skewMs }) => assentAt(instances.store, skewMs)))
      const ran: string[] = []
      for (const [ask, answer, run] of triples) {
        const id = `${ask} ${answer} ${run}`
        const call = { name: 'work', arguments: { id } }
        const asked = await callAt(instances, all[ask] as Instance, call)
        const [question] = await kept.listOpen({ participant: instances.ada, groups: [] }, 100)
        if (question === undefined) return expect.unreachable(`${id} was not asked`)
        for (const { tidy } of upkeeps) expect(await tidy()).toMatchObject({ expired: 0 })
        const page = `${(all[answer] as Instance).origin}${approvePath(question)}`
        expect((await browser.get(page)).status).toBe(200)
        expect((await browser.post(page, allowOnce)).status).toBe(303)
        const retry = { ...call, requestState: asked.result?.requestState }
        expect(saidIn(await callAt(instances, all[run] as Instance, retry))).toBe(`did ${id}`)
        expect(outcomeIn(await callAt(instances, all[ask] as Instance, retry))?.status).toBe('already-run')
        ran.push(id)
      }
      expect(await up.runs()).toEqual(ran)
    },
  )

  test('attack: a question is hidden from the inboxes of early clocks; it is in every inbox until its time', async () => {
    const up = await anUpstream('2026')
    const instances = await threeInstances(up.url, { settings: `${asks('work')}clocks: { question: 20s }\n` })
    const browser = await instances.signedIn(instances.right)
    const inboxes = () =>
      Promise.all(instances.all.map(async ({ origin }) => (await browser.get(`${origin}/inbox`)).text))
    const ids = instances.all.map(({ skewMs }) => `asked at ${skewMs}`)
    const askedAt = Date.now()
    for (const [index, instance] of instances.all.entries()) {
      await callAt(instances, instance, { name: 'work', arguments: { id: ids[index] as string } })
    }
    for (const text of await inboxes()) for (const id of ids) expect(text).toContain(id)
    await sleep(askedAt + 18_000 - Date.now())
    for (const text of await inboxes()) for (const id of ids) expect(text).toContain(id)
    await sleep(askedAt + 28_000 - Date.now())
    for (const text of await inboxes()) for (const id of ids) expect(text).not.toContain(id)
  })

  test.each(onEach)(
    'attack: the lease of a refresh seems over to an early clock; 45 calls refresh once, on %s',
    async (_, freshStore) => {
      const up = await anUpstream('2026')
      const instances = await threeInstances(up.url, {
        store: await freshStore(),
        server: ', provider: notes',
        oauth: { accessTokenTtl: 20 },
        settings: 'policy: { default: allow }\n',
      })
      const { right, oauth } = instances
      const browser = await instances.signedIn(right)
      await connectAccount(instances, right, right, browser)
      // Due for renewal when half of its time has passed.
      await sleep(11_000)
      // It lasts 20 s too, and is good where the machine's clock says that it ended ten minutes ago.
      const current = { ...instances, token: await instances.newToken() }
      const release = oauth.hold('/token')
      const calls = Array.from({ length: 45 }, (_, n) =>
        callAt(current, instances.all[n % 3] as Instance, { name: 'work', arguments: { id: `call ${n}` } }),
      )
      await sleep(2_000)
      release()
      const said = (await Promise.all(calls)).map(saidIn)
      expect(said).toEqual(said.map((_, n) => `did call ${n}`))
      expect(oauth.count('/token', 'refresh_token')).toBe(1)
    },
  )

  test.each(onEach)(
    'attack: a consent or a login begun at a late clock is too late at an early one; both are completed, on %s',
    async (_, freshStore) => {
      const up = await anUpstream('2026')
      const instances = await threeInstances(up.url, { store: await freshStore(), server: ', provider: notes' })
      const { late, early, right, ada, kept } = instances
      const browser = await instances.signedIn(late, early)
      await connectAccount(instances, late, early, browser)
      expect(await kept.store.connections.get(ada, 'notes')).toMatchObject({ standing: 'good' })
      await instances.signedIn(early, late)
      await instances.signedIn(late, right)
    },
  )
})

describe('an instance whose clock is wrong', () => {
  test('says so at start, by /readyz and by assent doctor; the right one is ready', async () => {
    const up = await anUpstream('2026')
    const { all, file } = await threeInstances(up.url)
    const words = ['600 s behind', undefined, '600 s ahead of']
    for (const [index, { origin, said, env }] of all.entries()) {
      const problem = words[index] && `The clock of this machine is ${words[index]} the clock of the store.`
      const ready = await fetch(`${origin}/readyz`)
      const { problems = [] } = (await ready.json()) as { problems?: string[] }
      expect(ready.status).toBe(problem === undefined ? 200 : 503)
      const doctor = await assent(['--config', file, 'doctor'], env)
      if (problem === undefined) {
        expect(said()).not.toContain('The clock of this machine')
        expect(problems).toEqual([])
        expect(doctor.out).toContain("✓ store clock: The clock of this machine agrees with the store's to 0 s.")
      } else {
        expect(said()).toContain(problem)
        expect(problems).toEqual([expect.stringContaining(problem)])
        expect(doctor.out).toContain(`✗ store clock: ${problem}`)
        expect(doctor.code).toBe(1)
      }
    }
  })
})

/** What an instance with such a clock does by itself each minute, at once. */
async function assentAt(url: string, skewMs: number): Promise<Assent> {
  const clock = { ...systemClock, now: () => new Date(Date.now() + skewMs) }
  const openStore = url.startsWith('redis:') ? openRedisStore : openPostgresStore
  return anAssent({ store: await openStore(url, { clock }) })
}

/** Presses Connect at one instance, consents, and comes back to another. */
async function connectAccount(
  { oauth }: Instances,
  begun: Instance,
  completed: Instance,
  browser: Awaited<ReturnType<Instances['signedIn']>>,
): Promise<void> {
  const path = `${begun.origin}/oauth/connect/notes`
  expect((await browser.get(path)).status).toBe(200)
  const sent = await browser.post(path, { answer: 'accept' })
  expect(sent.status).toBe(303)
  const back = await oauth.visit(sent.location ?? '', { account: 'ada' })
  const { status, text } = await browser.get(`${completed.origin}${pathIn(back.href)}`)
  expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('Account connected') })
}
