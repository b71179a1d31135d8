import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClient2025 } from '../../soak/client/client-2025.ts'
import { jsonHeaders, keepAliveAgent, replyIn, send } from '../../soak/client/send.ts'
import { csrfFor } from '../../src/web/http/csrf.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { buildPackage } from '../support/build.ts'
import { askingUpstreams, gated, newServer, oldServer, program } from '../support/gateway/gateways.ts'
import { compiled } from '../support/programs.ts'
import { promised, say, until } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { anUpstream, aGateway as assentGateway } from '../support/walks/killing.ts'
import { allowOnce } from '../support/web/approvals.ts'

const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const

/** A rough upstream, and the runs of its tools as `what pid`. */
async function rough() {
  const journal = join(await temporaryFolder(), 'journal')
  const runs = async () => (await readFile(journal, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { upstream: program('rough.ts', journal), runs }
}

describe.each(clients)('for a client of %s', (_, how) => {
  test('an upstream that is killed in the middle of a call ends that call, which is not made again', async () => {
    const { upstream, runs } = await rough()
    const { connect } = await gated({ up: upstream })
    const client = await connect(how, { only: 'up' })
    const calling = client.call('hang')
    await until(async () => (await runs()).length === 1)
    process.kill(Number((await runs())[0]?.split(' ')[1]), 'SIGKILL')
    const { isError, outcome, text } = await calling
    expect({ isError, outcome }).toEqual({ isError: true, outcome: { status: 'failed', reason: 'upstream-broken' } })
    expect(text).toContain('Nobody knows whether the call ran')
    expect((await client.call('ok')).text).toBe('ok')
    expect((await runs()).map((line) => line.split(' ')[0])).toEqual(['hang', 'ok'])
  })

  test('an upstream that floods and writes rubbish harms nobody', async () => {
    const { upstream } = await rough()
    const { connect } = await gated({ up: upstream, other: await askingUpstreams['2026 over HTTP']() })
    const client = await connect(how)
    const [flooded, rubbish, echo] = await Promise.all([
      client.call('up__flood'),
      client.call('up__rubbish'),
      client.call('other__echo', { text: 'unharmed' }),
    ])
    expect([flooded.text, rubbish.text, echo.text]).toEqual(['flooded', 'rubbish', 'unharmed'])
  })

  test('one that is down and one that never answers keep nobody from the others', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close().closeAllConnections())
    const { connect } = await gated({
      down: { url: new URL('http://127.0.0.1:9/mcp') },
      silent: { url: new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`) },
      good: await askingUpstreams['2025 over HTTP'](),
    })
    const client = await connect(how)
    const begun = performance.now()
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('good__echo')
    const listed = performance.now()
    expect((await client.call('good__echo', { text: 'here' })).text).toBe('here')
    // The list waited for the silent one. A call that did so too would take as long.
    expect(performance.now() - listed).toBeLessThan((listed - begun) / 2)
    const { isError, outcome, text } = await client.call('down__echo', { text: 'x' })
    expect({ isError, outcome }).toEqual({ isError: true, outcome: { status: 'failed', reason: 'upstream-down' } })
    expect(text).toContain('Nothing ran')
  })
})

test('the gateway killed in the middle: no call runs twice, and a parked one is told to be gone', async () => {
  const runs: string[] = []
  const upstream = await newServer((server) => {
    server.registerTool('count', {}, async () => {
      runs.push('count')
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      return say('done')
    })
  })
  const old = (await askingUpstreams['2025 over HTTP']()) as { url: URL }
  const folder = await temporaryFolder()
  const told = {
    upstreams: { up: { url: upstream.href }, old: { url: old.url.href } },
    store: `sqlite:${join(folder, 'assent.db')}`,
  }
  const first = await aGateway(told)
  const parked = await rawCall(first.url, { name: 'old__build', token: 'alice/desk' })
  expect(parked.result?.resultType).toBe('input_required')
  const calling = rawCall(first.url, { name: 'up__count', token: 'alice/desk' }).then(
    () => 'answered',
    () => 'error',
  )
  await until(() => runs.length === 1)
  first.child.kill('SIGKILL')
  expect(await calling).toBe('error')
  const second = await aGateway(told)
  const [key = ''] = Object.keys(parked.result?.inputRequests ?? {})
  const { result } = await rawCall(second.url, {
    name: 'old__build',
    token: 'alice/desk',
    requestState: parked.result?.requestState,
    inputResponses: { [key]: { action: 'accept', content: { branch: 'main' } } },
  })
  expect(result?._meta?.['assent/outcome']).toEqual({ status: 'failed', reason: 'parked-call-gone' })
  expect(runs).toEqual(['count'])
})

test('an address that is none takes nothing down', async () => {
  const { url } = await gated({ up: await askingUpstreams['2026 over HTTP']() })
  for (const path of ['//', '/mcp/%', '/mcp/../x', '/mcp/UP', 'http://[', '/mcp/up/x']) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: url.hostname, port: url.port, path, method: 'POST' }, ({ statusCode }) =>
        resolve(statusCode),
      )
      sent.on('error', reject).end('{}')
    })
    expect(status).toBeGreaterThanOrEqual(400)
  }
  expect((await rawCall(url, { name: 'up__echo', arguments: { text: 'alive' } })).result?.content?.[0]?.text).toBe(
    'alive',
  )
})

async function aGateway(told: object): Promise<{ child: ChildProcess; url: URL }> {
  const path = compiled(new URL('../support/gateway/programs/gateway.ts', import.meta.url))
  const child = fork(path, [JSON.stringify(told)], { execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  return { child, url: new URL(`http://127.0.0.1:${port}/mcp`) }
}

describe('a process on the same machine, without the cookie of an enrolled browser', () => {
  beforeAll(buildPackage)

  const settings = `policy:
  default: allow
  fallback: inbox
  rules: [{ tool: work, decide: ask, answer: page }]
clocks: { hold: 45s }
`
  const yes = { action: 'accept', content: { choice: 'allow_once' } }

  /** An approval and an upstream's form that wait for the person, and the two calls that wait for them. */
  async function waiting() {
    const up = await anUpstream('2025')
    const gateway = await assentGateway(up.url, settings)
    const call = (name: string, id: string) => rawCall(gateway.url, { name, arguments: { id }, elicitation: undefined })
    const calls = [call('work', 'planted-approval'), call('ask', 'planted-form')]
    let ended = 0
    for (const one of calls) void one.finally(() => (ended += 1)).catch(() => {})
    await until(async () => (await gateway.open()).length === 2)
    const open = await gateway.open()
    const pathOf = (purpose: string, page: string) =>
      `/elicit/${open.find((one) => one.purpose === purpose)?.id}/${page}`
    const paths = { approval: pathOf('approval', 'approve'), form: pathOf('input', 'form') }
    return {
      up,
      gateway,
      paths,
      async isUntouched() {
        expect((await gateway.open()).map(({ id, version }) => [id, version])).toEqual(
          open.map(({ id, version }) => [id, version]),
        )
        expect({ ended, runs: await up.runs() }).toEqual({ ended: 0, runs: [] })
      },
      /** The person comes, and both calls go on: nothing was spoiled. */
      async answered(browser: Awaited<ReturnType<typeof gateway.enrolled>>) {
        expect((await browser.get(paths.approval)).text).toContain('planted-approval')
        expect((await browser.post(paths.approval, allowOnce)).status).toBe(303)
        expect((await browser.get(paths.form)).text).toContain('planted-form')
        expect((await browser.post(paths.form, { answer: 'accept', 'field.word': 'blue' })).status).toBe(303)
        const said = (await Promise.all(calls)).map(({ result }) => result?.content?.[0]?.text)
        expect(said).toEqual(['did planted-approval', 'planted-form: blue'])
        expect((await up.runs()).sort()).toEqual(['planted-approval', 'planted-form blue'])
      },
    }
  }

  test('sees nothing of open questions and answers none on their pages', async () => {
    const { gateway, paths, isUntouched, answered } = await waiting()
    const person = await gateway.enrolled()
    await person.get(paths.approval)
    const guess = () => randomBytes(32).toString('base64url')
    const cookies = [undefined, '', 'x', guess(), 'a'.repeat(43)]
    const never = '/elicit/00000000-0000-4000-8000-000000000000/approve'
    const bare = (text: string) => text.replaceAll(/nonce[-=]"?[\w+/=-]+|data-now="[^"]+"|\/elicit\/[\w-]+\/\w+/g, '')
    for (const cookie of cookies) {
      const stranger = gateway.stranger()
      if (cookie !== undefined) stranger.cookies.set('assent', cookie)
      const unknown = await stranger.get(never)
      for (const path of [paths.approval, paths.form]) {
        const page = await stranger.get(path)
        expect(page.status).toBe(403)
        expect(page.text).not.toMatch(/planted|Which word/)
        expect(bare(page.text)).toBe(bare(unknown.text))
        for (const csrf of ['', guess(), person.csrf, csrfFor(cookie ?? '')]) {
          const fields = { ...allowOnce, 'field.word': 'red', csrf }
          expect((await stranger.post(path, fields)).status).toBe(403)
        }
      }
      expect(stranger.cookies.size).toBeLessThanOrEqual(1)
    }
    const stranger = gateway.stranger()
    const others = ['/inbox', '/inbox/events', '/audit', '/grants', '/connections', '/browsers', '/metrics', '/readyz']
    for (const path of [...others, paths.approval.replace('approve', 'status'), paths.form.replace('form', 'status')]) {
      expect((await stranger.get(path)).text).not.toMatch(/planted|Which word/)
    }
    for (const code of ['', guess(), `v1.${guess()}`]) {
      expect((await stranger.post(`/enroll?code=${code}`)).status).toBeGreaterThanOrEqual(400)
    }
    expect(stranger.cookies.size).toBe(0)

    // A page elsewhere makes the person's own browser post.
    for (const [csrf, headers] of [
      ['', {}],
      [guess(), {}],
      [person.csrf, { Origin: 'https://evil.example.com' }],
      [person.csrf, { 'Sec-Fetch-Site': 'cross-site' }],
    ] as const) {
      for (const path of [paths.approval, paths.form]) {
        const fields = { ...allowOnce, 'field.word': 'red', csrf }
        expect((await person.post(path, fields, headers)).status).toBe(403)
      }
    }
    await isUntouched()
    await answered(person)
  })

  test('answers none by what an MCP client can say', async () => {
    const { gateway, isUntouched, answered } = await waiting()
    const { url } = gateway
    const same = { name: 'work', arguments: { id: 'planted-approval' } }
    const responses = { 'approval of the call': yes, word: yes, 'asked 1': yes, __proto__: yes }
    // A client that can open pages, which says that it did; and one that is asked nothing and answers all the same.
    const first = await rawCall(url, { ...same, inputResponses: responses })
    expect(first.result?.resultType).toBe('input_required')
    const [[key = '', asked] = []] = Object.entries(first.result?.inputRequests ?? {})
    expect(asked?.params.mode).toBe('url')
    for (const requestState of [first.result?.requestState, 'v1.made-up', `${first.result?.requestState}x`]) {
      const signal = AbortSignal.timeout(1_000)
      const retry = { ...same, requestState, inputResponses: { ...responses, [key]: yes }, signal }
      const end = await rawCall(url, retry).catch(() => 'held')
      expect(end === 'held' || (typeof end === 'object' && end.error?.code === -32_602)).toBe(true)
    }

    const agent = keepAliveAgent()
    onTestFinished(() => agent.destroy())
    const client = await openClient2025(agent, url)
    const post = (message: object, session = client.session) =>
      send(agent, url, {
        headers: { ...jsonHeaders, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': session ?? '' },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      })
    for (const { id } of await gateway.open()) {
      for (const guessed of [0, 1, 2, 'ask 1', id]) await post({ id: guessed, result: yes })
      await post({ method: 'notifications/elicitation/complete', params: { elicitationId: id } })
      for (const method of ['elicitation/create', 'elicitation/answer', 'elicitation/complete']) {
        const params = { elicitationId: id, message: 'x', ...yes, requestedSchema: { type: 'object', properties: {} } }
        expect(replyIn(await post({ id: `${method} ${id}`, method, params }))?.error).toBeDefined()
      }
      expect((await post({ id: 1, result: yes }, id)).status).toBe(404)
    }
    await isUntouched()
    await answered(await gateway.enrolled())
  })
})

test.each([
  ['the SDK server has', false],
  ['the fast path has', true],
])('a request under the id of another that %s in a session of 2025 is refused', async (_, isKnown) => {
  let held = promised()
  const release = () => held.keep()
  let runs = 0
  const upstream = await oldServer((server) => {
    server.registerTool('ok', {}, async () => {
      runs += 1
      await held.promise
      return say('ok')
    })
  })
  const { url } = await gated({ up: { url: upstream } })
  const agent = keepAliveAgent()
  onTestFinished(() => agent.destroy())
  const { session } = await openClient2025(agent, url)
  const call = (name: string) =>
    send(agent, url, {
      headers: { ...jsonHeaders, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': session ?? '' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {} } }),
    })
  if (isKnown) {
    release()
    expect((await call('up__ok')).status).toBe(200)
    held = promised()
  }
  const calls = [call('up__ok')]
  await until(() => runs === (isKnown ? 2 : 1))
  calls.push(call('up__ok'))
  expect((await Promise.race(calls)).status).toBe(400)
  release()
  const replies = await Promise.all(calls)
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(replies.map((reply) => replyIn(reply)?.result?.content?.[0]?.text)).toContain('ok')
  expect((await call('up__ok')).status).toBe(200)
  expect(runs).toBe(isKnown ? 3 : 2)
})
