import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyWebhook, type WebhookOptions, webhookChannel } from '../../src/channels/webhook/index.ts'
import { signature } from '../../src/channels/webhook/sign.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { aCall } from '../support/approval/a-call.ts'
import { asks } from '../support/approval/approving.ts'
import { alice, anAsk, aSecretAsk, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'

const secret = 'a secret that both know'

interface Received {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver on this machine that answers as told; each answer is used once, and then 204. */
async function aReceiver(...answers: readonly number[]) {
  const received: Received[] = []
  const replies = [...answers]
  let hold: Promise<void> = Promise.resolve()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() })
    await hold
    const status = replies.shift() ?? 204
    if (status === 0) request.socket.destroy()
    else response.writeHead(status, { location: '/elsewhere' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Answers nobody until the function that it gives is called. */
    holdBack(): () => void {
      let release = () => {}
      hold = new Promise((resolve) => (release = resolve))
      return release
    },
  }
}

async function anAssentTelling(options: Partial<WebhookOptions> & { readonly url: string }) {
  const clock = fixedClock('2026-05-01T10:00:00Z')
  const channel = webhookChannel({ secret, allowPrivate: true, retries: [2_000, 6_000], clock, ...options })
  const assent = await anAssent({ clock, channels: [channel], publicUrl: 'https://assent.example.com' })
  const failed: string[] = []
  assent.events.listen((news) => {
    if (news.kind === 'channel-failed') failed.push(`${news.channel}: ${(news.error as Error).message}`)
  })
  return { assent, clock, failed, channel }
}

describe('a webhook', () => {
  test('is told when a question is asked and when it is settled, by names and a link, signed', async () => {
    const { url, received } = await aReceiver()
    const { assent, clock } = await anAssentTelling({ url })
    const { elicitation } = await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch: 'hunter2' } })
    await expect.poll(() => received.length).toBe(2)

    const [asked, settled] = received
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      type: 'question.asked',
      id: elicitation.id,
      purpose: 'input',
      server: 'github',
      client: 'Claude Code',
      answerers: 1,
      priority: 'normal',
      link: `https://assent.example.com/elicit/${elicitation.id}/form`,
      createdAt: '2026-05-01T10:00:00.000Z',
      expiresAt: '2026-05-01T10:10:00.000Z',
      status: 'pending',
    })
    expect(JSON.parse(settled?.body ?? '')).toMatchObject({ type: 'question.settled', status: 'complete' })
    for (const { method, headers, body } of received) {
      expect(method).toBe('POST')
      expect(headers['content-type']).toBe('application/json')
      expect(verifyWebhook(body, String(headers['assent-signature']), secret, { now: clock.now() })).toBe(true)
      // Neither what was asked nor what was answered.
      expect(body).not.toMatch(/Which branch|hunter2|alice/)
    }
    expect(asked?.headers['assent-delivery']).toMatch(/^[0-9a-f-]{36}$/)
    expect(asked?.headers['assent-delivery']).not.toBe(settled?.headers['assent-delivery'])
  })

  test('names the tool of an approval and the notify of its rule, and is not told where another channel is named', async () => {
    const { url, received } = await aReceiver()
    const channel = webhookChannel({ url, secret, allowPrivate: true, name: 'desk' })
    const rules = [
      { tool: 'hidden', decide: 'ask', notify: 'channel:slack' },
      { decide: 'ask', notify: ['group:payments', 'channel:desk'] },
    ] as const
    const assent = await anAssent({ channels: [channel], policy: { rules } })
    await asks(assent, aCall({ tool: 'hidden' }))
    const { id } = await asks(assent, aCall({ tool: 'write_file', arguments: { path: 'hunter2' } }))
    await expect.poll(() => received.length).toBe(1)
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      id,
      tool: 'write_file',
      notify: ['group:payments', 'channel:desk'],
    })
    expect(received[0]?.body).not.toContain('hunter2')
  })

  test('gets a link to the page of each kind of question, never one to elsewhere', async () => {
    const { url, received } = await aReceiver()
    const { assent } = await anAssentTelling({ url })
    const link = async (ask: Parameters<typeof assent.ask>[0]) => {
      const { elicitation } = await assent.ask(ask)
      const find = () => received.map(({ body }) => JSON.parse(body)).find(({ id }) => id === elicitation.id)
      await expect.poll(find).toBeDefined()
      return find().link.replace(`https://assent.example.com/elicit/${elicitation.id}/`, '')
    }
    expect(await link(aSecretAsk())).toBe('api-key')
    expect(await link(anAsk({ purpose: 'approval' }))).toBe('approve')
    const elsewhere = { mode: 'url', message: 'Pay', url: 'https://pay.example.com/now' } as const
    expect(await link(anAsk({ question: elsewhere }))).toBe('status')
    const connect = { mode: 'url', message: 'Connect', connect: { provider: 'github', scopes: [] } } as const
    expect(await link(anAsk({ question: connect, purpose: 'connect' }))).toContain('/oauth/connect/github')
  })

  test('names of strangers are made visible and cut', async () => {
    const { url, received } = await aReceiver()
    const { assent } = await anAssentTelling({ url })
    const clientName = `Claude\u202e${'x'.repeat(500)}`
    await assent.ask(anAsk({ requester: { participant: alice, client: 'c', clientName } }))
    await expect.poll(() => received.length).toBe(1)
    const { client } = JSON.parse(received[0]?.body ?? '')
    expect(client).toContain('Claude‹U+202E›xxx')
    expect(client.length).toBeLessThan(130)
  })

  test('that fails is told again, as the same delivery signed anew, until it takes it', async () => {
    const { url, received } = await aReceiver(500, 0)
    const { assent, clock, failed } = await anAssentTelling({ url })
    await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    await advanceUntil(clock, 2_000, () => received.length === 2)
    await advanceUntil(clock, 6_000, () => received.length === 3)
    expect(new Set(received.map(({ headers }) => headers['assent-delivery'])).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['assent-signature'])).size).toBe(3)
    expect(failed).toEqual([])
  })

  test('that never takes it is given up after the last try, which is news', async () => {
    const { url, received } = await aReceiver(500, 404, 503)
    const { assent, clock, failed } = await anAssentTelling({ url, name: 'pager' })
    await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    await advanceUntil(clock, 2_000, () => received.length === 2)
    await advanceUntil(clock, 6_000, () => failed.length === 1)
    expect(failed).toEqual([`pager: ${new URL(url).origin} answered 503 (after 3 attempts)`])
    expect(failed[0]).not.toContain('/hook')
  })

  test('that redirects is not followed, and not tried again', async () => {
    const { url, received } = await aReceiver(302)
    const { assent, failed } = await anAssentTelling({ url })
    await assent.ask(anAsk())
    await expect.poll(() => failed.length).toBe(1)
    expect(failed[0]).toContain('redirected (after 1 attempt)')
    expect(received).toHaveLength(1)
  })

  test.each([
    'http://127.0.0.1:9/hook',
    'https://127.0.0.1:9/hook',
    'https://localhost:9/hook',
    'https://169.254.169.254/latest',
  ])('attack: %s is not reached unless private addresses are allowed', async (url) => {
    const { assent, failed } = await anAssentTelling({ url, allowPrivate: false })
    await assent.ask(anAsk())
    await expect.poll(() => failed.length).toBe(1)
    expect(failed[0]).toMatch(/address_refused|unreachable/)
    expect(failed[0]).toContain('(after 1 attempt)')
  })

  test('is not called to a question that was settled before it could be told', async () => {
    const { url, received } = await aReceiver(500)
    const { assent, clock, failed } = await anAssentTelling({ url })
    const { elicitation } = await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    await assent.answer(elicitation.id, onPage(alice), { action: 'decline' })
    await expect.poll(() => received.length).toBe(2)
    clock.advance(2_000)
    await assent.close()
    expect(received.map(({ body }) => JSON.parse(body).status)).toEqual(['pending', 'declined'])
    expect(failed).toEqual([])
  })

  test('that is slow makes nobody wait; of more than a thousand that wait the oldest is dropped, which is news', async () => {
    const { url, received, holdBack } = await aReceiver()
    const release = holdBack()
    const channel = webhookChannel({ url, secret, allowPrivate: true })
    const { assent } = await anAssentTelling({ url })
    const { elicitation } = await assent.ask(anAsk())
    const failed: number[] = []
    const all = Array.from({ length: 1_005 }, (_, index) => {
      const one = { ...elicitation, id: `${index}` as typeof elicitation.id }
      return channel.tell(one, 'https://x').catch(() => void failed.push(index))
    })
    await expect.poll(() => failed).toEqual([4])
    release()
    await Promise.all(all)
    // One is the question itself, told by the other channel.
    expect(received).toHaveLength(1_005)
  })

  test('closing ends the retries, and says what was not told', async () => {
    const { url, received } = await aReceiver(500)
    const { assent, failed } = await anAssentTelling({ url })
    await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    await assent.close()
    expect(failed).toHaveLength(1)
    expect(failed[0]).toMatch(/answered 500/)
  })

  test('closing lets what is under way arrive', async () => {
    const { url, received, holdBack } = await aReceiver()
    const release = holdBack()
    const { assent, failed, channel } = await anAssentTelling({ url })
    const { elicitation } = await assent.ask(anAsk())
    await expect.poll(() => received.length).toBe(1)
    const closed = assent.close()
    release()
    await closed
    expect(failed).toEqual([])
    await expect(channel.tell(elicitation, 'https://x')).rejects.toThrow('closed')
  })

  test('needs a secret', () => {
    expect(() => webhookChannel({ url: 'https://hooks.example.com', secret: '' })).toThrow('secret')
  })
})

describe('verifying a delivery', () => {
  const now = new Date('2026-05-01T10:00:00Z')
  const body = '{"type":"question.asked"}'
  const good = signature(body, secret, now)
  const at = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1_000) })

  test('takes what was signed with the secret, as text and as bytes, within five minutes', () => {
    expect(verifyWebhook(body, good, secret, { now })).toBe(true)
    expect(verifyWebhook(Buffer.from(body), good, secret, at(300))).toBe(true)
    expect(verifyWebhook(body, good, secret, at(-300))).toBe(true)
    expect(verifyWebhook(body, signature(body, secret, new Date()), secret)).toBe(true)
    expect(verifyWebhook(body, good, secret, { ...at(900), toleranceS: 900 })).toBe(true)
  })

  test.each([
    ['another body', `${body} `, good, secret, 0],
    ['another secret', body, good, 'another', 0],
    ['an old delivery', body, good, secret, 301],
    ['one from the future', body, good, secret, -301],
    ['another time', body, good.replace(/t=\d+/, 't=1777629601'), secret, 0],
    ['no header', body, undefined, secret, 0],
    ['no signature', body, 't=1777629600', secret, 0],
    ['a short signature', body, good.slice(0, -2), secret, 0],
    ['two signatures', body, `${good},${good}`, secret, 0],
    ['a secret that nobody set', body, signature(body, '', now), '', 0],
  ])('refuses %s', (_, given, header, key, seconds) => {
    expect(verifyWebhook(given, header, key, at(seconds))).toBe(false)
  })
})

/** A retry begins to wait only after its failure was read, so time is moved on until it does. */
async function advanceUntil(clock: { advance(ms: number): void }, ms: number, isSo: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      if (!isSo()) clock.advance(ms)
      return isSo()
    })
    .toBe(true)
}
