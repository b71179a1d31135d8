import { describe, expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { type GatedOptions, gated } from '../support/gateway/gateways.ts'
import { done, type PlainUpstream, plainUpstream } from '../support/gateway/plain-upstream.ts'

const schema = { type: 'object' }

/** Written as it is, since a test could not serialise it. */
const deep = (levels: number) => `raw:${'['.repeat(levels)}${']'.repeat(levels)}`

const badTools = {
  'half a surrogate pair': [{ name: 'bad', description: 'cut \ud83d' }, 'half a surrogate pair'],
  'half a surrogate pair in its schema': [
    { name: 'bad', inputSchema: { ...schema, description: '\udc00' } },
    'half a surrogate pair',
  ],
  'a schema of 200 levels': [{ name: 'bad', inputSchema: { ...schema, default: deep(200) } }, 'deeper than 128 levels'],
  'metadata of 100,000 levels': [{ name: 'bad', _meta: { a: deep(100_000) } }, 'deeper than 128 levels'],
  'a definition of 300,000 bytes': [{ name: 'bad', description: 'x'.repeat(300_000) }, 'longer than 262144 bytes'],
  'a number that is none': [{ name: 'bad', inputSchema: { ...schema, maximum: 'raw:1e400' } }, 'is not JSON'],
} as const

/** Its tools are `good` and the bad one. */
function withBadTool(bad: object): Promise<PlainUpstream> {
  return plainUpstream(
    '2026',
    ({ method, params }) => (method === 'tools/call' ? done(`ran ${params.name}`) : undefined),
    [{ name: 'good' }, bad],
  )
}

async function withHonest(url: URL, options: GatedOptions = {}) {
  const honest = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('honest') : undefined), [
    { name: 'echo' },
  ])
  return gated({ hungry: { url }, honest: { url: honest.url } }, options)
}

describe.each(Object.entries(badTools))('a tool with %s', (_, [bad, reason]) => {
  test('is left out by itself, by name; the other tools of its server work', async () => {
    const upstream = await withBadTool(bad)
    const news = createEvents<GatewayNews>()
    const told: GatewayNews[] = []
    news.listen((one) => {
      if (one.kind === 'items-left-out') told.push(one)
    })
    const { url, gateway, connect } = await withHonest(upstream.url, { news })
    const leftOut = [{ list: 'tools', name: 'bad', reason: expect.stringContaining(reason) }]

    for (const how of [connect11, connect26]) {
      const joined = await connect(how)
      const { tools } = (await joined.listTools()) as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).toEqual(['hungry__good', 'honest__echo'])
      expect((await joined.call('hungry__good')).text).toBe('ran good')
      const alone = await connect(how, { only: 'hungry' })
      expect((await alone.call('good')).text).toBe('ran good')
    }
    const { error } = await rawCall(new URL(`${url.href}/hungry`), { name: 'bad' })
    expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining(reason) })
    expect(error?.message).toContain('bad')
    expect(gateway.upstreams().find(({ id }) => id === 'hungry')?.leftOut).toEqual(leftOut)
    expect(told).toEqual([{ kind: 'items-left-out', server: 'hungry', list: 'tools', count: 1, items: leftOut }])
    expect(upstream.of('tools/call').map(({ params }) => params.name)).not.toContain('bad')
  })
})

test('a tool without a name, and a resource that is too deep to be written, are left out', async () => {
  const upstream = await plainUpstream(
    '2026',
    ({ method }) =>
      method === 'resources/list'
        ? {
            resultType: 'complete',
            resources: [
              { uri: 'file:///deep', name: 'd', _meta: { a: deep(100_000) } },
              { uri: 'file:///flat', name: 'f' },
            ],
          }
        : undefined,
    [{ name: 7 }, { name: 'good' }],
  )
  const { connect, gateway } = await withHonest(upstream.url)
  const client = await connect(connect26)
  const { tools } = (await client.listTools()) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toEqual(['hungry__good', 'honest__echo'])
  const { resources } = (await client.request('resources/list', {})) as { resources: { uri: string }[] }
  expect(resources.map(({ uri }) => uri)).toEqual(['file:///flat'])
  expect(gateway.upstreams()[0]?.leftOut.map(({ list, name }) => [list, name])).toEqual([
    ['tools', '7'],
    ['resources', 'd'],
  ])
})

/** Lists its tools on pages without end, and counts the pages. */
async function endlessList(page: (count: number) => object[]) {
  let pages = 0
  const upstream = await plainUpstream('2026', ({ method }) => {
    if (method === 'tools/call') return done('ran')
    if (method !== 'tools/list') return undefined
    pages += 1
    return { resultType: 'complete', ttlMs: 0, cacheScope: 'public', tools: page(pages), nextCursor: `after ${pages}` }
  })
  return { url: upstream.url, pages: () => pages }
}

describe('a list without end', () => {
  const longTool = (count: number) => [{ name: `tool-${count}`, description: 'x'.repeat(200_000), inputSchema: schema }]
  const manyTools = (count: number) =>
    Array.from({ length: 500 }, (_, n) => ({ name: `tool-${count}-${n}`, inputSchema: schema }))
  const manyValues = (count: number) => [
    { name: `tool-${count}`, inputSchema: schema, _meta: { all: Array(30_000).fill({}) } },
  ]

  test.each([
    ['of bytes', longTool, 'is longer than 8388608 bytes', 45],
    ['of items', manyTools, 'has more than 10000 items', 25],
    ['of values', manyValues, 'holds more than 200000 values', 9],
  ])('%s is read up to its limit, and harms its own server only', async (_, page, reason, mostPages) => {
    const { url: hungry, pages } = await endlessList(page)
    const { url, gateway, connect } = await withHonest(hungry)
    const client = await connect(connect26)
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['honest__echo'])
    expect(pages()).toBeLessThanOrEqual(mostPages)
    expect(gateway.upstreams()[0]?.leftOut).toEqual([{ list: 'tools', reason: `the list ${reason}` }])
    const { result } = await rawCall(new URL(`${url.href}/hungry`), { name: 'tool-1' })
    expect(result?._meta?.['assent/outcome']).toEqual({ status: 'failed', reason: 'upstream-too-long' })
    expect((await client.call('honest__echo')).text).toBe('honest')
  })

  test('of many requesters at once is held within the memory of its server', async () => {
    const { url: hungry } = await endlessList(manyValues)
    const { connect, gateway } = await withHonest(hungry, {
      withLogin: true,
      limits: { serverBytes: 32_000_000, serverBytesEach: 8_000_000 },
    })
    const clients = await Promise.all(
      Array.from({ length: 8 }, (_, n) => connect(connect26, { token: `person-${n}/desk` })),
    )
    const lists = await Promise.all(clients.map((client) => client.listTools()))
    for (const { tools } of lists as { tools: { name: string }[] }[]) {
      expect(tools.map(({ name }) => name)).toEqual(['honest__echo'])
    }
    expect(gateway.upstreams()[0]?.leftOut).toEqual([
      { list: 'tools', reason: 'the list needs more memory than is free for this server' },
    ])
  })
})

test('cached lists of a server that has many make room for each other, not for those of other servers', async () => {
  const upstream = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('ran') : undefined), [
    { name: 'good', description: 'x'.repeat(50_000) },
  ])
  const ofLong = { ttlMs: 60_000 }
  const honest = await plainUpstream('2026', ({ method }) =>
    method === 'tools/list'
      ? { resultType: 'complete', ...ofLong, cacheScope: 'public', tools: [{ name: 'echo', inputSchema: schema }] }
      : method === 'tools/call'
        ? done('honest')
        : undefined,
  )
  const { connect } = await gated(
    { hungry: { url: upstream.url }, honest: { url: honest.url } },
    { withLogin: true, limits: { cachedListBytes: 200_000 } },
  )
  const first = await connect(connect26, { token: 'first/desk' })
  expect((await first.call('honest__echo')).text).toBe('honest')
  const fetched = honest.of('tools/list').length
  for (let n = 0; n < 8; n += 1) {
    const client = await connect(connect26, { token: `person-${n}/desk` })
    expect((await client.call('hungry__good')).text).toBe('ran')
  }
  expect((await first.call('honest__echo')).text).toBe('honest')
  expect(honest.of('tools/list')).toHaveLength(fetched)
})
