import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { padProvider } from '../../examples/guides/provider/pad-provider.ts'
import { type Assent, localParticipant } from '../../src/index.ts'
import { connect26 } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { freePort } from '../support/free-port.ts'
import { listening } from '../support/server/servers.ts'
import { pathIn } from '../support/test-browser.ts'
import { browserAt, start } from './programs.ts'

/** The service of the guide: it takes each ticket and each renewal once. */
async function aPad({ seconds = 3_600 } = {}) {
  const pad = { isDown: false, good: new Set<string>(), tickets: new Set(['ticket-1']), made: 0 }
  const grant = (reply: ServerResponse) => {
    pad.made += 1
    pad.good = new Set([`token-${pad.made}`])
    reply.end(JSON.stringify({ token: `token-${pad.made}`, renewal: `renewal-${pad.made}`, seconds, user: 'ada' }))
  }
  const url = await listening(async (request: IncomingMessage, reply: ServerResponse) => {
    const token = String(request.headers['x-pad-token'] ?? '')
    if (pad.isDown) return reply.writeHead(503).end()
    if (request.method === 'POST') {
      const body = (await json(request)) as { secret?: string; ticket?: string; renewal?: string }
      if (body.secret !== 'secret') return reply.writeHead(403).end()
      const isGood = pad.tickets.delete(body.ticket ?? '') || body.renewal === `renewal-${pad.made}`
      return isGood ? grant(reply) : reply.writeHead(400).end()
    }
    if (!pad.good.has(token)) return reply.writeHead(401).end('Who are you?')
    if (request.method === 'DELETE') pad.good.delete(token)
    return reply.end('Milk, bread')
  })
  return { ...pad, url: new URL(url.origin), is: pad }
}

const person = { participant: localParticipant, groups: [] }
const browser = 'browser-1'

async function connected(assent: Assent, ticket = 'ticket-1') {
  const begun = await assent.connections.begin({ provider: 'pad', person, browser })
  if (begun.kind !== 'begun') throw new Error(`It is ${begun.kind}.`)
  const there = new URL(begun.url)
  const callback = new URL(there.searchParams.get('back') ?? '')
  callback.search = new URLSearchParams({ state: there.searchParams.get('state') ?? '', ticket }).toString()
  return { there, completed: await assent.connections.complete({ person, browser, callback }) }
}

async function aPlace(options: { seconds?: number } = {}) {
  const pad = await aPad(options)
  const provider = padProvider({ url: pad.url, appId: 'app-1', appSecret: 'secret' })
  return { pad: pad.is, assent: await anAssent({ providers: new Map([['pad', provider]]) }) }
}

describe('the provider of the guide', () => {
  test('sends people there, and keeps the account that they come back with', async () => {
    const { assent } = await aPlace()
    const { there, completed } = await connected(assent)
    expect(Object.fromEntries(there.searchParams)).toMatchObject({ app: 'app-1', for: 'read' })
    expect(completed).toMatchObject({ kind: 'connected' })
    expect(await assent.connections.access(localParticipant, 'pad')).toMatchObject({
      kind: 'ready',
      secret: 'token-1',
      account: 'ada',
    })
  })

  test('says no to a ticket that the service does not know, and to a person who came back without one', async () => {
    const { assent } = await aPlace()
    expect((await connected(assent, 'stolen')).completed).toMatchObject({
      kind: 'failed',
      message: 'Pad does not know this request any more. Try again.',
    })
    const begun = await assent.connections.begin({ provider: 'pad', person, browser })
    const there = new URL(begun.kind === 'begun' ? begun.url : '')
    const callback = new URL(there.searchParams.get('back') ?? '')
    callback.searchParams.set('state', there.searchParams.get('state') ?? '')
    expect(await assent.connections.complete({ person, browser, callback })).toMatchObject({ kind: 'denied' })
  })

  test('renews a token that ends; while the service is down the person is not asked', async () => {
    const { assent, pad } = await aPlace({ seconds: 0 })
    await connected(assent)
    expect(await assent.connections.access(localParticipant, 'pad')).toMatchObject({
      secret: 'token-2',
    })
    pad.isDown = true
    await expect(assent.connections.access(localParticipant, 'pad')).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
  })

  test('tells the service when the person disconnects', async () => {
    const { assent, pad } = await aPlace()
    await connected(assent)
    expect(await assent.connections.disconnect(localParticipant, 'pad')).toEqual({ revokedThere: true })
    expect(pad.good).toEqual(new Set())
  })
})

test('the program asks for the account once, and then reads with it', async () => {
  const [pad, port] = [await aPad(), await freePort()]
  const [, enroll = ''] = await start('provider/main.ts', [], { PAD: pad.url.href, PORT: port }).prints(/once: (\S+)\n/)
  const person = browserAt(port)
  await person.post(pathIn(enroll))

  const client = await connect26({ url: new URL(`http://127.0.0.1:${port}/mcp`) }, { elicitation: { url: {} } })
  onTestFinished(() => client.close())
  client.answers(async ({ url = '' }) => {
    const page = pathIn(url)
    await person.get(page)
    const { location } = await person.post(page, { answer: 'accept' })
    const there = new URL(location ?? '')
    await person.get(`/oauth/callback?state=${there.searchParams.get('state')}&ticket=ticket-1`)
    return { action: 'accept' }
  })
  expect(await client.call('read_pad')).toMatchObject({ text: 'Milk, bread', isError: false })
  expect(await client.call('read_pad')).toMatchObject({ text: 'Milk, bread' })
  expect(client.asked).toHaveLength(1)
})
