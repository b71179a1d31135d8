import { describe, expect, test } from 'vitest'
import type { Assent, ElicitationNews } from '../../src/index.ts'
import { createLog } from '../../src/observe/log.ts'
import { logAsks } from '../../src/observe/log-news.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { type Connect, connect11, connect26, type Reply } from '../support/asking/asking-clients.ts'
import { readPrometheus } from '../support/cli/prometheus-text.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'

/** Everything that is seen of the questions of an Assent. */
function observe(assent: Assent) {
  const news: ElicitationNews[] = []
  assent.events.listen((one) => void news.push(one))
  const metrics = createMetrics()
  metrics.listenToAsks(assent.events)
  const written: string[] = []
  logAsks(
    createLog({ level: 'info', destination: { write: (line: string) => void written.push(line) } }),
    assent.events,
  )
  return {
    news,
    async samples(name: string) {
      return readPrometheus(await metrics.text())
        .filter((sample) => sample.name === name && sample.value !== 0)
        .map(({ labels, value }) => ({ ...labels, value }))
    },
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

async function auditOf({ store }: Assent) {
  const chains = await store.audit.chains()
  const events = (await Promise.all(chains.map(({ chain }) => store.audit.read(chain, 0, 1_000)))).flat()
  return events.filter(({ kind }) => kind === 'question-asked' || kind === 'question-answered')
}

const outcomes = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

describe.each(['2025 over HTTP', '2026 over HTTP'] as const)('of an upstream of %s', (up) => {
  const asks = async (how: Connect, tool: string, reply: Reply) => {
    const { assent, connect } = await gated({ up: await askingUpstreams[up]() })
    const observed = observe(assent)
    const client = await connect(how)
    client.answers(() => reply)
    await client.call(`up__${tool}`)
    expect(client.asked).toHaveLength(1)
    return { ...observed, assent }
  }

  describe.each([
    ['form', 'build'],
    ['url', 'open'],
  ] as const)('a question by %s', (mode, tool) => {
    test.each(['accept', 'decline', 'cancel'] as const)(
      'that a 2026 client answers with %s is in events, metrics, log and audit, once',
      async (action) => {
        const reply: Reply = action === 'accept' ? { action, content: { branch: 'main' } } : { action }
        const { assent, news, samples, lines } = await asks(connect26, tool, mode === 'url' ? { action } : reply)
        const about = { server: 'up', mode, purpose: 'input' }
        expect(news).toEqual([
          { kind: 'carried-asked', ...about },
          { kind: 'carried-answered', ...about, action, waitedMs: expect.any(Number) },
        ])
        const kind = { mode, purpose: 'input' }
        expect(await samples('assent_asks_total')).toEqual([{ ...kind, joined: 'false', value: 1 }])
        expect(await samples('assent_asks_settled_total')).toEqual([{ ...kind, outcome: outcomes[action], value: 1 }])
        expect(await samples('assent_ask_wait_seconds_count')).toEqual([{ ...kind, value: 1 }])
        expect(lines()).toEqual([
          expect.objectContaining({ msg: 'asked', ...about }),
          expect.objectContaining({ msg: 'settled', ...about, outcome: outcomes[action], via: 'client' }),
        ])
        const audited = await auditOf(assent)
        expect(audited.map((event) => event.kind)).toEqual(['question-asked', 'question-answered'])
        expect(audited[0]?.data).toMatchObject({ mode, server: 'up' })
        expect(audited[1]?.data).toMatchObject({ action })
        expect(audited[1]?.about).toBe(audited[0]?.about)
      },
    )

    test('is counted alike for clients of 2025 and 2026', async () => {
      const reply: Reply = mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { branch: 'main' } }
      const [old, young] = [await asks(connect11, tool, reply), await asks(connect26, tool, reply)]
      for (const name of ['assent_asks_total', 'assent_asks_settled_total', 'assent_ask_wait_seconds_count'])
        expect({ name, samples: await young.samples(name) }).toEqual({ name, samples: await old.samples(name) })
    })
  })
})
