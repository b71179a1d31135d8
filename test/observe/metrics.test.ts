import { expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import type { ElicitationNews } from '../../src/elicitation/desk.ts'
import { createMetrics, type MetricsOptions } from '../../src/observe/metrics.ts'
import { alice, anElicitation, answered, withState } from '../../src/testing/elicitations.ts'
import { anAsk, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { readPrometheus } from '../support/cli/prometheus-text.ts'

function observing(options: MetricsOptions = {}) {
  const asks = createEvents<ElicitationNews>()
  const gateway = createEvents<GatewayNews>()
  const metrics = createMetrics(options)
  metrics.listenToAsks(asks)
  metrics.listenToGateway(gateway)
  return {
    asks,
    gateway,
    metrics,
    async samples(name: string) {
      return readPrometheus(await metrics.text())
        .filter((sample) => sample.name === name && sample.value !== 0)
        .map(({ labels, value }) => ({ ...labels, value }))
    },
  }
}

const calls = (server: string): GatewayNews => ({
  kind: 'call-ended',
  server,
  outcome: 'done',
  durationMs: 40,
  ownMs: 2,
})

test('asks are counted by mode, purpose and outcome, and how long they waited', async () => {
  const { asks, samples } = observing()
  const kept = anElicitation()
  asks.tell({ kind: 'asked', elicitation: kept })
  asks.tell({ kind: 'joined', elicitation: kept })
  asks.tell({ kind: 'settled', elicitation: answered(kept, { action: 'decline' }), outcome: 'declined' })
  asks.tell({
    kind: 'settled',
    elicitation: withState(kept, { kind: 'expired', at: kept.expiresAt }),
    outcome: 'expired',
  })

  const kind = { mode: 'form', purpose: 'input' }
  expect(await samples('assent_asks_total')).toEqual([
    { ...kind, joined: 'false', value: 1 },
    { ...kind, joined: 'true', value: 1 },
  ])
  expect(await samples('assent_asks_settled_total')).toEqual([
    { ...kind, outcome: 'declined', value: 1 },
    { ...kind, outcome: 'expired', value: 1 },
  ])
  expect(await samples('assent_ask_wait_seconds_count')).toEqual([{ ...kind, value: 2 }])
})

test('what goes wrong is counted by its reason', async () => {
  const { asks, samples } = observing()
  asks.tell({ kind: 'fallback', server: 'github', reason: 'url-undeclared' })
  asks.tell({ kind: 'answer-refused', elicitation: anElicitation(), reason: 'participant_mismatch' })
  asks.tell({ kind: 'channel-failed', elicitation: anElicitation(), channel: 'webhook', error: new Error('gone') })

  expect(await samples('assent_fallbacks_total')).toEqual([{ reason: 'url-undeclared', value: 1 }])
  expect(await samples('assent_answers_refused_total')).toEqual([{ reason: 'participant_mismatch', value: 1 }])
  expect(await samples('assent_channel_failures_total')).toEqual([{ channel: 'webhook', value: 1 }])
})

test('calls are counted by upstream and outcome, and our own time apart from that of others', async () => {
  const { gateway, samples } = observing({ servers: ['github'] })
  gateway.tell(calls('github'))
  gateway.tell({ kind: 'call-ended', server: 'github', outcome: 'refused', durationMs: 60_000 })
  gateway.tell({ kind: 'upstream-changed', server: 'github', state: 'up' })

  expect(await samples('assent_calls_total')).toEqual([
    { server: 'github', outcome: 'done', value: 1 },
    { server: 'github', outcome: 'refused', value: 1 },
  ])
  // A person was waited for in the second, so it says nothing of us.
  expect(await samples('assent_call_own_seconds_count')).toEqual([{ value: 1 }])
  expect(await samples('assent_call_own_seconds_sum')).toEqual([{ value: 0.002 }])
  expect(await samples('assent_upstream_up')).toEqual([{ server: 'github', value: 1 }])
})

test('strangers make no series: there are as many servers and reasons as there may be', async () => {
  const named = observing({ servers: ['github'] })
  const unnamed = observing()
  for (let n = 0; n < 1_000; n++) {
    for (const { gateway, asks } of [named, unnamed]) {
      gateway.tell(calls(`server-${n}`))
      gateway.tell({ kind: 'negotiated', side: 'client', name: `c${n}`, revision: `20${n}`, capabilities: [] })
      asks.tell({ kind: 'fallback', server: `server-${n}`, reason: `reason ${n} with words of a stranger` })
    }
  }
  expect(await named.samples('assent_calls_total')).toEqual([{ server: 'other', outcome: 'done', value: 1_000 }])
  expect(await unnamed.samples('assent_calls_total')).toHaveLength(51)
  expect(await unnamed.samples('assent_fallbacks_total')).toEqual([{ reason: 'other', value: 1_000 }])
  expect(await unnamed.samples('assent_negotiated_total')).toEqual([
    { side: 'client', revision: 'other', value: 1_000 },
  ])
})

test('open questions, sessions and parked calls are read when somebody looks; a store that is down hides no other number', async () => {
  let open: () => Promise<number> = async () => 3
  const { metrics, samples } = observing({ open: () => open(), sessions: () => 2, parked: () => 1 })
  expect(await samples('assent_asks_open')).toEqual([{ value: 3 }])
  open = async () => {
    throw new Error('down')
  }
  expect(await samples('assent_asks_open')).toEqual([{ value: Number.NaN }])
  expect(await samples('assent_sessions')).toEqual([{ value: 2 }])
  expect(await samples('assent_calls_parked')).toEqual([{ value: 1 }])
  expect(metrics.contentType).toContain('text/plain')
})

test('two that watch in one process count apart, and the process itself is in both', async () => {
  const one = observing()
  const other = observing()
  one.gateway.tell(calls('github'))
  expect(await one.samples('assent_calls_total')).toHaveLength(1)
  expect(await other.samples('assent_calls_total')).toHaveLength(0)
  expect(await other.samples('process_resident_memory_bytes')).toHaveLength(1)
})

test('no number names a person, a question or an answer', async () => {
  const assent = await anAssent()
  const metrics = createMetrics()
  metrics.listenToAsks(assent.events)
  const question = { mode: 'form' as const, message: 'planted-message', schema: plantedSchema }
  const { elicitation } = await assent.ask(anAsk({ question, metadata: { note: 'planted-note' } }))
  await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch: 'planted-answer' } })

  const text = await metrics.text()
  expect(text).toContain('outcome="accepted"')
  for (const planted of ['planted', 'alice', 'claude', 'login.example.com', String(elicitation.id)]) {
    expect(text).not.toContain(planted)
  }
})

const plantedSchema = { type: 'object', properties: { branch: { type: 'string', title: 'planted-title' } } }
