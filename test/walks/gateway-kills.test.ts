import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AnswerQuestion, openClient2025 } from '../../soak/client/client-2025.ts'
import { type Answer, keepAliveAgent, replyIn } from '../../soak/client/send.ts'
import type { Elicitation, ParticipantId } from '../../src/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { testKeys } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { assentInTerminal } from '../support/cli/terminal.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { startIssuer } from '../support/oauth/issuer.ts'
import { answerOnPage } from '../support/server/approving.ts'
import { until } from '../support/server/servers.ts'
import { aGateway, anUpstream, eras, type KilledGateway } from '../support/walks/killing.ts'
import { allowOnce, approvePath } from '../support/web/approvals.ts'

beforeAll(buildPackage)

const asks = 'policy: { default: allow, rules: [{ tool: work, decide: ask }] }\n'
const local = 'local' as ParticipantId
const yes = { action: 'accept', content: { choice: 'allow_once' } }
const word = { action: 'accept', content: { word: 'blue' } }

const saidIn = ({ result }: RawReply) => result?.content?.[0]?.text
const outcomeIn = ({ result }: RawReply) => result?._meta?.['assent/outcome']
const answerTo = ({ result }: RawReply, answer: object) =>
  Object.fromEntries(Object.keys(result?.inputRequests ?? {}).map((key) => [key, answer]))
const saidTo = (answer: Answer) => replyIn(answer)?.result?.content?.[0]?.text
const broken = async (calling: Promise<unknown>) =>
  calling.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    () => 'connection lost',
  )

/** A client of 2025 as it speaks on the wire: what an SDK makes of a lost connection is its own. */
async function oldClient({ url }: Pick<KilledGateway, 'url'>, token?: string) {
  const agent = keepAliveAgent()
  onTestFinished(() => agent.destroy())
  const client = await openClient2025(agent, url, token === undefined ? {} : { Authorization: `Bearer ${token}` })
  const asked: string[] = []
  return {
    asked,
    call: (name: string, id: string, answers: AnswerQuestion = () => undefined) =>
      client.call({ name, arguments: { id } }, (question) => {
        asked.push(question.message)
        return answers(question)
      }),
  }
}

/** Settings with a login, and how its one person is known: by a client that is the same one whatever session it is in. */
async function withLogin() {
  const { issuer, mint } = await startIssuer()
  const auth = `{ issuer: "${issuer}", audience: "https://assent.test/mcp", clientId: pages }`
  const settings = `auth: ${auth}\npublicUrl: https://assent.test\n`
  return { settings, token: await mint(), ada: `ada@${issuer}` as ParticipantId }
}

describe.each(eras)('an upstream of %s over HTTP, killed', (era) => {
  test.each([
    ['2025', connect11],
    ['2026', connect26],
  ] as const)('in the middle of calls of a client of %s: each ends with an error, and runs once', async (_, how) => {
    const up = await anUpstream(era)
    const { connect } = await gated({ up: { url: up.url }, other: await askingUpstreams['2026 over HTTP']() })
    const [joined, alone] = [await connect(how), await connect(how, { only: 'up' })]
    expect((await alone.call('work', { id: 'before' })).text).toBe('did before')
    const calls = [
      alone.call('work', { id: 'slow 1' }),
      alone.call('work', { id: 'slow 2' }),
      joined.call('up__work', { id: 'slow 3' }),
    ]
    await until(async () => (await up.runs()).length === 4)
    const [, unharmed, ...ends] = await Promise.all([
      up.kill(),
      joined.call('other__echo', { text: 'unharmed' }),
      ...calls,
    ])
    expect(unharmed.text).toBe('unharmed')
    for (const { isError, outcome, text } of ends) {
      expect({ isError, outcome }).toEqual({
        isError: true,
        outcome: { status: 'failed', reason: 'upstream-broken' },
      })
      expect(text).toContain('Nobody knows whether the call ran')
    }
    for (const call of [alone.call('work', { id: 'never' }), joined.call('up__work', { id: 'never' })]) {
      const { outcome, text } = await call
      expect(outcome).toEqual({ status: 'failed', reason: 'upstream-down' })
      expect(text).toContain('Nothing ran')
    }
    expect((await joined.call('other__echo', { text: 'unharmed' })).text).toBe('unharmed')

    await up.start()
    expect((await alone.call('work', { id: 'after' })).text).toBe('did after')
    expect((await joined.call('up__work', { id: 'later' })).text).toBe('did later')
    expect((await up.runs()).sort()).toEqual(['after', 'before', 'later', 'slow 1', 'slow 2', 'slow 3'])
  })

  test('while its question is open at a client of 2025: the call ends, though nobody answered', async () => {
    const up = await anUpstream(era)
    const { connect } = await gated({ up: { url: up.url } })
    const client = await connect(connect11, { only: 'up' })
    const shown: (() => void)[] = []
    client.answers(() => new Promise((resolve) => shown.push(() => resolve(word as never))))
    const calling = client.call('ask', { id: 'one' })
    await until(() => shown.length === 1)
    await up.kill()
    // A 2026 upstream waits for nothing meanwhile: that it is gone shows when it is sent the answer.
    if (era === '2026') shown[0]?.()
    const { isError, outcome } = await calling
    expect({ isError, reason: outcome?.reason }).toEqual({
      isError: true,
      reason: era === '2025' ? 'upstream-broken' : 'upstream-down',
    })
    await up.start()
    client.answers(() => word as never)
    expect((await client.call('ask', { id: 'two' })).text).toBe('two: blue')
    expect(await up.runs()).toEqual(['two blue'])
  })

  test('while its question is open at a client of 2026: the retry is told, and never runs it twice', async () => {
    const up = await anUpstream(era)
    const { url } = await gated({ up: { url: up.url } })
    const call = { name: 'up__ask', arguments: { id: 'one' } }
    const first = await rawCall(url, call)
    const retry = { ...call, requestState: first.result?.requestState, inputResponses: answerTo(first, word) }
    await up.kill()
    const down = await rawCall(url, retry)
    expect(outcomeIn(down)?.reason).toBe(era === '2025' ? 'upstream-broken' : 'upstream-down')
    await up.start()
    const after = await rawCall(url, retry)
    if (era === '2026') expect(saidIn(after)).toBe('one: blue')
    else expect(outcomeIn(after)).toEqual({ status: 'failed', reason: 'parked-call-gone' })
    expect(await up.runs()).toEqual(era === '2026' ? ['one blue'] : [])
  })
})

/** Where a person says yes to an approval that outlived its gateway. Each leaves a gateway that runs. */
const places: Readonly<Record<string, (gateway: KilledGateway, question: Elicitation) => Promise<void>>> = {
  'on the page, in a browser enrolled before': async (gateway, question) => {
    const browser = await gateway.enrolled()
    await gateway.kill()
    await gateway.start()
    expect((await browser.get(approvePath(question))).status).toBe(200)
    expect((await browser.post(approvePath(question), allowOnce)).status).toBe(303)
  },
  'by assent inbox, while the gateway is down': async (gateway, { id }) => {
    await gateway.kill()
    const inbox = assentInTerminal(['--config', gateway.file, 'inbox', 'allow', id], { env: { ASSENT_KEYS: testKeys } })
    expect(await inbox.ended()).toBe(0)
    await gateway.start()
  },
}

async function oneOpen(gateway: KilledGateway, who = local): Promise<Elicitation> {
  await until(async () => (await gateway.open(who)).length > 0)
  const [question, ...others] = await gateway.open(who)
  expect(others).toEqual([])
  return question as Elicitation
}

describe('a gateway killed while an approval is open', () => {
  test('at a client of 2026: its retry finds the same question, is answered in the client, and runs once', async () => {
    const up = await anUpstream('2026')
    const gateway = await aGateway(up.url, asks)
    const call = { name: 'work', arguments: { id: 'one' } }
    const first = await rawCall(gateway.url, call)
    const question = await oneOpen(gateway)
    await gateway.kill()
    await gateway.start()
    const again = await rawCall(gateway.url, { ...call, requestState: first.result?.requestState })
    expect(again.result?.inputRequests).toEqual(first.result?.inputRequests)
    expect((await oneOpen(gateway)).id).toBe(question.id)
    expect(await up.runs()).toEqual([])

    const retry = { ...call, requestState: first.result?.requestState, inputResponses: answerTo(first, yes) }
    const ends = await Promise.all([rawCall(gateway.url, retry), rawCall(gateway.url, retry)])
    expect(ends.map(saidIn)).toContain('did one')
    expect(outcomeIn(await rawCall(gateway.url, retry))?.status).toBe('already-run')
    expect(await up.runs()).toEqual(['one'])
    expect({ open: await gateway.open(), asked: await gateway.asked() }).toEqual({ open: [], asked: 1 })
  })

  test.each(Object.entries(places))('at a client of 2026, and answered %s: its retry runs once', async (_, sayYes) => {
    const up = await anUpstream('2025')
    const gateway = await aGateway(up.url, asks)
    const call = { name: 'work', arguments: { id: 'one' } }
    const first = await rawCall(gateway.url, call)
    const question = await oneOpen(gateway)
    await sayYes(gateway, question)
    expect((await gateway.assent.get(question.id))?.state.kind).toBe('answered')
    expect(await up.runs()).toEqual([])
    const retry = { ...call, requestState: first.result?.requestState }
    expect(saidIn(await rawCall(gateway.url, retry))).toBe('did one')
    expect(outcomeIn(await rawCall(gateway.url, retry))?.status).toBe('already-run')
    expect(await up.runs()).toEqual(['one'])
    expect({ open: await gateway.open(), asked: await gateway.asked() }).toEqual({ open: [], asked: 1 })
  })

  test.each(['in the client', 'elsewhere'])(
    'at a client of 2025 that loses its connection and calls again: the same question, answered %s, runs once',
    async (where) => {
      const up = await anUpstream('2025')
      const { settings, token, ada } = await withLogin()
      const gateway = await aGateway(up.url, asks + settings)
      const client = await oldClient(gateway, token)
      const calling = broken(client.call('work', 'one'))
      await until(() => client.asked.length === 1)
      const question = await oneOpen(gateway, ada)
      await gateway.kill()
      expect(await calling).toBe('connection lost')
      await gateway.start()
      expect((await oneOpen(gateway, ada)).id).toBe(question.id)
      if (where === 'elsewhere') await answerOnPage(gateway.assent, question, ada)

      const again = await oldClient(gateway, token)
      expect(saidTo(await again.call('work', 'one', () => yes))).toBe('did one')
      expect(again.asked).toEqual(where === 'elsewhere' ? [] : client.asked)
      expect((await gateway.assent.get(question.id))?.state.kind).toBe('answered')
      expect(await up.runs()).toEqual(['one'])
      expect({ open: await gateway.open(ada), asked: await gateway.asked() }).toEqual({ open: [], asked: 1 })
    },
  )

  test('without a login a new session of the same 2025 client finds the same question, and it runs once', async () => {
    const up = await anUpstream('2026')
    const gateway = await aGateway(up.url, asks)
    const client = await oldClient(gateway)
    const calling = broken(client.call('work', 'one'))
    const question = await oneOpen(gateway)
    await gateway.kill()
    expect(await calling).toBe('connection lost')
    await gateway.start()
    const again = await oldClient(gateway)
    expect(saidTo(await again.call('work', 'one', () => yes))).toBe('did one')
    expect((await gateway.assent.get(question.id))?.state.kind).toBe('answered')
    expect({ open: await gateway.open(), asked: await gateway.asked() }).toEqual({ open: [], asked: 1 })
    expect(await up.runs()).toEqual(['one'])
  })

  test.each(Object.entries(places))(
    'in the inbox, and answered %s: the call, made again, runs once',
    async (_, sayYes) => {
      const up = await anUpstream('2026')
      const gateway = await aGateway(
        up.url,
        `${asks.replace('default', 'fallback: inbox, default')}clocks: { hold: 8s }\n`,
      )
      const call = { name: 'work', arguments: { id: 'one' }, elicitation: undefined }
      const calling = broken(rawCall(gateway.url, call))
      const question = await oneOpen(gateway)
      await sayYes(gateway, question)
      expect(await calling).toBe('connection lost')
      expect(await up.runs()).toEqual([])
      expect(saidIn(await rawCall(gateway.url, call))).toBe('did one')
      expect(await gateway.asked()).toBe(1)
      // The yes is used up: another call is another question.
      expect(outcomeIn(await rawCall(gateway.url, call))?.status).toBe('pending')
      expect((await oneOpen(gateway)).id).not.toBe(question.id)
      expect(await up.runs()).toEqual(['one'])
    },
  )

  test('in the inbox of a client of 2025: the call, made again, runs once', async () => {
    const up = await anUpstream('2025')
    const { settings, token, ada } = await withLogin()
    const policy = 'policy: { default: allow, fallback: inbox, rules: [{ tool: work, decide: ask, answer: page }] }\n'
    const gateway = await aGateway(up.url, policy + settings)
    const client = await oldClient(gateway, token)
    const calling = broken(client.call('work', 'one'))
    const question = await oneOpen(gateway, ada)
    await gateway.kill()
    expect(await calling).toBe('connection lost')
    await gateway.start()
    const again = await oldClient(gateway, token)
    const second = again.call('work', 'one')
    await until(async () => (await gateway.joined()) === 1)
    await answerOnPage(gateway.assent, await oneOpen(gateway, ada), ada)
    expect(saidTo(await second)).toBe('did one')
    expect((await gateway.assent.get(question.id))?.state.kind).toBe('answered')
    expect(await up.runs()).toEqual(['one'])
    expect(await gateway.asked()).toBe(1)
  })
})

describe("a gateway killed while an upstream's form is open", () => {
  const allows = 'policy: { default: allow }\n'
  const asksFirst = 'policy: { default: allow, rules: [{ tool: ask, decide: ask }] }\n'
  const call = { name: 'ask', arguments: { id: 'one' } }
  const retryOf = (reply: RawReply, answer: object) => ({
    ...call,
    requestState: reply.result?.requestState,
    inputResponses: answerTo(reply, answer),
  })

  test.each([
    ['allowed', allows],
    ['approved before', asksFirst],
  ])('2026 on both sides, in a call that was %s: the retry goes on, and runs once', async (_, policy) => {
    const up = await anUpstream('2026')
    const gateway = await aGateway(up.url, policy)
    const begun = await rawCall(gateway.url, call)
    const form = policy === allows ? begun : await rawCall(gateway.url, retryOf(begun, yes))
    expect(JSON.stringify(form.result?.inputRequests)).toContain('[up] Which word for one?')
    await gateway.kill()
    await gateway.start()
    expect(saidIn(await rawCall(gateway.url, retryOf(form, word)))).toBe('one: blue')
    if (policy === asksFirst) {
      for (const before of [retryOf(form, word), retryOf(begun, yes)]) {
        expect(outcomeIn(await rawCall(gateway.url, before))?.status).toBe('already-run')
      }
    }
    expect(await up.runs()).toEqual(['one blue'])
  })

  test.each([
    ['allowed', allows],
    ['approved before', asksFirst],
  ])('parked at an upstream of 2025, in a call that was %s: the retry is told, and nothing runs', async (_, policy) => {
    const up = await anUpstream('2025')
    const gateway = await aGateway(up.url, policy)
    const begun = await rawCall(gateway.url, call)
    const form = policy === allows ? begun : await rawCall(gateway.url, retryOf(begun, yes))
    await gateway.kill()
    await gateway.start()
    for (let times = 0; times < 2; times++) {
      const told = await rawCall(gateway.url, retryOf(form, word))
      expect(told.result?.isError).toBe(true)
      expect(['parked-call-gone', 'already-run']).toContain(outcomeIn(told)?.reason)
    }
    expect(await up.runs()).toEqual([])
    // Made anew it is asked anew, and what was approved before counts no more.
    const anew = await rawCall(gateway.url, call)
    const asked = policy === allows ? anew : await rawCall(gateway.url, retryOf(anew, yes))
    expect(saidIn(await rawCall(gateway.url, retryOf(asked, word)))).toBe('one: blue')
    expect(await up.runs()).toEqual(['one blue'])
  })

  test.each(eras)(
    'at a client of 2025, from an upstream of %s: called again it is asked anew, and runs once',
    async (era) => {
      const up = await anUpstream(era)
      const gateway = await aGateway(up.url, allows)
      const client = await oldClient(gateway)
      const calling = broken(client.call('ask', 'one'))
      await until(() => client.asked.length === 1)
      await gateway.kill()
      expect(await calling).toBe('connection lost')
      await gateway.start()
      const again = await oldClient(gateway)
      expect(saidTo(await again.call('ask', 'one', () => word))).toBe('one: blue')
      expect(again.asked).toEqual(client.asked)
      expect(await up.runs()).toEqual(['one blue'])
    },
  )
})

test.each(eras)(
  'a gateway that is told to stop and waits for nobody answers what is under way at an upstream of %s',
  async (era) => {
    const up = await anUpstream(era)
    const gateway = await aGateway(up.url, 'clocks: { finish: 1ms }\npolicy: { default: allow }\n')
    const client = await oldClient(gateway)
    await client.call('work', 'before')
    const asking = client.call('ask', 'one')
    await until(() => client.asked.length === 1)
    const working = client.call('work', 'slow 1')
    const perRequest = rawCall(gateway.url, { name: 'work', arguments: { id: 'slow 2' } })
    await until(async () => (await up.runs()).length === 3)
    expect(await gateway.stop()).toBe(0)
    const [asked, worked] = [replyIn(await asking), replyIn(await working)]
    expect(outcomeIn(asked as never)).toEqual({ status: 'pending', reason: 'waiting-for-answer' })
    for (const reply of [worked, await perRequest]) {
      expect(reply?.error?.message).toBe('The server ended this before the answer was there. It may have run.')
    }
  },
)
