import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/gateway/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { program } from '../support/gateway/gateways.ts'
import { connectByPipe } from '../support/gateway/pipes.ts'
import { listening } from '../support/server/servers.ts'

async function made(servers: GatewayOptions['servers']) {
  const assent = await anAssent({ policy: { default: 'allow' } })
  const gateway = createGateway({ assent, servers })
  onTestFinished(() => gateway.close())
  return gateway
}

const files = () => program('asking.ts', '2025')

describe('createGateway with an Assent and one program, and nothing else', () => {
  test.each([
    ['2025-11-25', connect11],
    ['2026-07-28', connect26],
  ])('serves a client of %s over HTTP and over a pipe', async (_, how) => {
    const gateway = await made({ files: files() })
    const url = await listening((request, response) => {
      if (!gateway.handle(request, response)) response.writeHead(404).end()
    })
    const client = await how({ url })
    onTestFinished(() => client.close())
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('files__echo')
    expect((await client.call('files__echo', { text: 'hello' })).text).toBe('hello')
    const byPipe = await connectByPipe(gateway, how, 'files')
    expect((await byPipe.call('echo', { text: 'hello' })).text).toBe('hello')
  })

  test('leaves paths that are not its own to others', async () => {
    const gateway = await made({ files: files() })
    const server = createServer((request, response) => {
      if (!gateway.handle(request, response)) response.writeHead(404).end('not mine')
    })
    const url = await listening(server.listeners('request')[0] as never)
    expect((await fetch(new URL('/other', url))).status).toBe(404)
    expect((await fetch(new URL('/mcp/unknown', url), { method: 'POST' })).status).toBe(404)
  })
})

describe('the id of a server', () => {
  test.each(['My Files', 'files_2', 'FILES', '', 'a'.repeat(33), 'a/b', 'é'])(
    'cannot be %j, and the error says what can',
    async (id) => {
      const assent = await anAssent()
      expect(() => createGateway({ assent, servers: { [id]: files() } })).toThrow(
        expect.objectContaining({
          code: 'bad_argument',
          message: `"${id}" cannot be the id of a server. Use 1 to 32 of a-z, 0-9 and "-".`,
        }),
      )
    },
  )
})

test('a Map keeps its order, also where an object would not', async () => {
  const ids = ['zebra', '2', 'apple', '1']
  const gateway = await made(new Map(ids.map((id) => [id, files()])))
  expect(gateway.upstreams().map(({ id }) => id)).toEqual(ids)
  const asObject = await made(Object.fromEntries(ids.map((id) => [id, files()])))
  expect(asObject.upstreams().map(({ id }) => id)).toEqual(['1', '2', 'zebra', 'apple'])
})
