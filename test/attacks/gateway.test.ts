import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askingUpstreams, gated, newServer, program } from '../gateway/gateways.ts'
import { say, until } from '../server/servers.ts'
import { connect11, connect26 } from '../support/asking-clients.ts'
import { rawCall } from '../support/asking-raw.ts'
import { temporaryFolder } from '../support/temporary.ts'

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
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('good__echo')
    const before = performance.now()
    expect((await client.call('good__echo', { text: 'here' })).text).toBe('here')
    expect(performance.now() - before).toBeLessThan(2_500)
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
  const path = fileURLToPath(new URL('../gateway/programs/gateway.ts', import.meta.url))
  const child = fork(path, [JSON.stringify(told)], { execArgv: ['--import', 'tsx'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  return { child, url: new URL(`http://127.0.0.1:${port}/mcp`) }
}
