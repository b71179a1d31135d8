import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { connect11, connect26, connectOld, patient } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { compiled } from '../support/programs.ts'
import { say } from '../support/server/servers.ts'

const form = { type: 'object' as const, properties: { word: { type: 'string' as const } }, required: ['word'] }

/** One upstream of each era, whose one tool asks what it is told to ask. */
const asking = {
  '2025': () =>
    oldServer((server) => {
      server.registerTool('ask', { inputSchema: { about: z3.string() } }, async ({ about }) => {
        const question = { message: `About ${about}?`, requestedSchema: form }
        const { content } = await server.server.elicitInput(question, patient)
        return say(`${about}: ${content?.word}`)
      })
    }),
  '2026': () =>
    newServer((server) => {
      server.registerTool('ask', { inputSchema: z.object({ about: z.string() }) }, ({ about }, { mcpReq }) => {
        const given = mcpReq.inputResponses?.word as { content?: { word: string } } | undefined
        if (given !== undefined) return say(`${about}: ${given.content?.word}`)
        const params = { mode: 'form', message: `About ${about}?`, requestedSchema: form }
        return {
          resultType: 'input_required',
          inputRequests: { word: { method: 'elicitation/create', params } },
        } as never
      })
    }),
}

describe('a gateway behind a gateway', () => {
  test.each(Object.entries(askingUpstreams).filter(([name]) => name.endsWith('HTTP')))(
    'passes what an upstream of %s asks, to clients of both eras',
    async (_, start) => {
      const inner = await gated({ up: await start() })
      const { connect } = await gated({ inner: { url: inner.url } })
      for (const how of [connect11, connectOld, connect26]) {
        const client = await connect(how)
        client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
        expect((await client.call('inner__up__build')).text).toBe('built main')
        expect(client.asked.map(({ message }) => message)).toEqual(['[inner] [up] Which branch?'])
      }
    },
  )
})

test.each(Object.entries(asking))(
  'two people, two clients each, 200 questions at once: each reaches its own asker, from an upstream of %s',
  async (_, start) => {
    const { connect } = await gated(
      { up: { url: await start() } },
      { withLogin: true, upstreamLimits: { openAsks: 200 } },
    )
    const whos = ['alice/desk', 'alice/phone', 'bob/desk', 'bob/phone']
    const clients = await Promise.all(
      whos.map(async (token, n) => {
        const client = await connect(n % 2 === 0 ? connect11 : connect26, { token, only: 'up' })
        client.answers(async ({ message }) => {
          await new Promise((resolve) => setTimeout(resolve, (message.length * 7 + n * 13) % 40))
          return { action: 'accept', content: { word: `${token} heard ${message}` } }
        })
        return { token, client }
      }),
    )
    const calls = Array.from({ length: 200 }, (_, n) => {
      const { token, client } = clients[n % clients.length] as (typeof clients)[number]
      const about = `${token} ${n}`
      return client.call('ask', { about }).then(({ text }) => ({ text, about, token }))
    })
    for (const { text, about, token } of await Promise.all(calls)) {
      expect(text).toBe(`${about}: ${token} heard [up] About ${about}?`)
    }
    for (const { token, client } of clients) {
      expect(client.asked).toHaveLength(50)
      expect(client.asked.every(({ message }) => message.includes(token))).toBe(true)
    }
  },
)

test.each(Object.entries(asking))(
  'a thousand questions open at once, of twenty requesters, from an upstream of %s: all answered, in little memory',
  async (era, start) => {
    const upstream = await start()
    const program = compiled(new URL('../support/gateway/programs/gateway.ts', import.meta.url))
    const child = fork(program, [JSON.stringify({ upstreams: { up: { url: upstream.href } } })], {
      execArgv: ['--expose-gc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [port] = await once(child, 'message')
    const url = new URL(`http://127.0.0.1:${port}/mcp/up`)
    const memory = async () => {
      child.send('memory')
      return (await once(child, 'message'))[0] as { rss: number; heapUsed: number; parked: number }
    }
    const ask = (n: number, more: object = {}) =>
      rawCall(url, { name: 'ask', arguments: { about: `${n}` }, token: `p${n % 20}/desk`, ...more })
    await ask(0)
    const idle = await memory()
    const open: { n: number; state: string; key: string }[] = []
    for (let start = 0; start < 1_000; start += 50) {
      const some = await Promise.all(
        Array.from({ length: 50 }, (_, n) => ask(start + n).then((reply) => ({ reply, n: start + n }))),
      )
      for (const { reply, n } of some) {
        const [key = ''] = Object.keys(reply.result?.inputRequests ?? {})
        expect(reply.result?.inputRequests?.[key]?.params.message).toBe(`[up] About ${n}?`)
        open.push({ n, key, state: reply.result?.requestState as string })
      }
    }
    const full = await memory()
    const above = { rss: (full.rss - idle.rss) / 2 ** 20, heap: (full.heapUsed - idle.heapUsed) / 2 ** 20 }
    process.stderr.write(`${era}: ${above.rss.toFixed(1)} MB RSS and ${above.heap.toFixed(1)} MB heap above idle\n`)
    for (let start = 0; start < 1_000; start += 50) {
      await Promise.all(
        open.slice(start, start + 50).map(async ({ n, key, state }) => {
          const inputResponses = { [key]: { action: 'accept', content: { word: `w${n}` } } }
          const { result } = await ask(n, { inputResponses, requestState: state })
          expect(result?.content?.[0]?.text).toBe(`${n}: w${n}`)
        }),
      )
    }
    expect(above.heap).toBeLessThan(100)
  },
)
