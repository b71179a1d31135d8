import { createECDH } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encryptFor } from '../../src/channels/push/encrypt.ts'
import { type PushOptions, pushChannel } from '../../src/channels/push/index.ts'
import type { Ask, Assent } from '../../src/index.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { readPushTarget } from '../../src/participant/push-target.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { alice, anAsk, bob, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { aPushService } from '../support/web/push-service.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

test('encrypts the example of RFC 8291, appendix A, byte by byte', () => {
  const ours = createECDH('prime256v1')
  ours.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const theirs = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const text = 'When I grow up, I want to be a watermelon'
  expect(encryptFor(theirs, text, { ours, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') }).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

async function aPlace(options: Partial<PushOptions> = {}) {
  const clock = fixedClock('2026-05-01T10:00:00Z')
  const service = await aPushService()
  const channel = pushChannel({
    contact: 'mailto:ops@example.com',
    allowPrivate: true,
    retries: [2_000],
    clock,
    ...options,
  })
  const assent = await anAssent({ clock, channels: [channel], publicUrl: 'https://assent.example.com' })
  onTestFinished(() => channel.close?.())
  const failed: string[] = []
  assent.events.listen((news) => {
    if (news.kind === 'channel-failed') failed.push(`${news.channel}: ${(news.error as Error).message}`)
  })
  const add = (participant: ParticipantId, browser: string, groups: readonly string[] = []) =>
    subscribe(assent, { participant, groups }, service.subscribe(browser))
  return { assent, clock, service, failed, channel, add }
}

function subscribe(assent: Assent, person: { participant: ParticipantId; groups: readonly string[] }, text: string) {
  const target = readPushTarget(text)
  if (target === undefined) throw new Error('not a subscription')
  const expiresAt = new Date('2026-08-01T00:00:00Z')
  return assent.subscriptions.add({ ...person, target, name: 'Chrome', expiresAt, most: 10 })
}

const asksOps: Partial<Ask> = { anyOf: ['group:ops'] }

describe('push', () => {
  test('tells the browsers of those who are asked what is needed and by whom, and no more', async () => {
    const { assent, service, add, channel } = await aPlace()
    await add(alice, 'laptop')
    await add(alice, 'phone')
    await add(bob, 'other')
    const { elicitation } = await assent.ask(anAsk())
    await expect.poll(() => service.pushed.map(({ browser }) => browser).sort()).toEqual(['laptop', 'phone'])
    const [{ text, headers, claims }] = service.pushed as [(typeof service.pushed)[0]]
    expect(JSON.parse(text)).toEqual({
      title: 'github needs an answer',
      body: expect.stringMatching(/^Asked by .+\. Until 2026-05-01 10:10 UTC\.$/),
      path: `/elicit/${elicitation.id}/form`,
      tag: elicitation.id,
    })
    expect(text).not.toContain('Which branch')
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'normal' })
    expect(Number(headers.ttl)).toBeGreaterThanOrEqual(600)
    expect(claims).toMatchObject({ sub: 'mailto:ops@example.com', key: channel.browsers?.publicKey() })
    expect(service.problems).toEqual([])
  })

  test('finds people by their groups, and tells nobody of a settled question', async () => {
    const { assent, service, clock, add, failed } = await aPlace()
    await add(bob, 'bob', ['ops'])
    await add(alice, 'alice', ['sales'])
    const first = await assent.ask(anAsk(asksOps))
    await expect.poll(() => service.pushed.map(({ browser }) => browser)).toEqual(['bob'])
    const second = await assent.ask(anAsk({ ...asksOps, origin: { server: 'second' } }))
    await assent.ask(anAsk({ ...asksOps, origin: { server: 'third' } }))
    for (const { elicitation } of [first, second]) {
      await assent.answer(elicitation.id, onPage(bob, ['ops']), { action: 'decline' })
    }
    clock.advance(20_000)
    await expect.poll(() => service.pushed.length).toBe(2)
    expect(JSON.parse(service.pushed[1]?.text ?? '').title).toBe('third needs an answer')
    expect(failed).toEqual([])
  })

  test('gathers what comes soon, in quiet hours waits, and sends what is urgent at once', async () => {
    const quiet = { from: '09:00', to: '10:05', timeZone: 'UTC' }
    const { assent, service, clock, add } = await aPlace({ quiet })
    await add(alice, 'laptop')
    await assent.ask(anAsk())
    await assent.ask(anAsk({ origin: { server: 'second' } }))
    await assent.ask(anAsk({ origin: { server: 'third' }, priority: 'urgent' }))
    await expect.poll(() => service.pushed.length).toBe(1)
    expect(service.pushed[0]?.headers.urgency).toBe('high')
    expect(JSON.parse(service.pushed[0]?.text ?? '').title).toBe('urgent: third needs an answer')
    clock.advance(5 * 60_000)
    await expect.poll(() => service.pushed.length).toBe(2)
    expect(JSON.parse(service.pushed[1]?.text ?? '')).toMatchObject({
      title: '2 questions wait for you',
      path: '/inbox',
    })
  })

  test.each([404, 410])('a browser that is gone (%i) is told nothing more, and the audit says so', async (status) => {
    const { assent, service, add } = await aPlace()
    await add(alice, 'laptop')
    service.refusals.push(status)
    await assent.ask(anAsk())
    await expect.poll(() => assent.subscriptions.list(alice)).toEqual([])
    let audit = ''
    for await (const line of assent.exportAudit()) audit += line
    expect(audit).toContain('push-removed')
    expect(audit).toContain('"by":"push-service"')
    expect(audit).not.toContain('/to/laptop')
  })

  test('what the service refuses for now is sent again; what it refuses for good is said without the address', async () => {
    const { assent, service, clock, add, failed } = await aPlace()
    await add(alice, 'laptop')
    service.refusals.push(429)
    await assent.ask(anAsk({ priority: 'urgent' }))
    await expect.poll(() => service.refusals.length).toBe(0)
    await expect
      .poll(() => {
        clock.advance(2_000)
        return service.pushed.length
      })
      .toBe(1)
    service.refusals.push(413)
    await assent.ask(anAsk({ origin: { server: 'second' }, priority: 'urgent' }))
    await expect.poll(() => failed.length).toBe(1)
    expect(failed[0]).toMatch(/^push: http:\/\/127\.0\.0\.1:\d+ answered 413 \(after 1 attempt\)$/)
  })

  test('an address on this machine or in a private network is not taken, and nothing is sent to it', async () => {
    const { assent, service, failed, add, channel } = await aPlace({ allowPrivate: false })
    for (const address of [
      'http://push.example.com/x',
      'http://127.0.0.1:9/x',
      'https://127.0.0.1/x',
      'https://2130706433/x',
      'https://[::1]/x',
      'https://10.1.2.3/x',
      'https://169.254.169.254/latest',
      'https://localhost/x',
      'https://user:pass@push.example.com/x',
      'file:///etc/passwd',
      'no address',
    ]) {
      expect([address, channel.browsers?.accepts(address)]).toEqual([address, false])
    }
    expect(channel.browsers?.accepts('https://push.example.com/x')).toBe(true)
    // Also where it is kept, such as from a time with other settings.
    await add(alice, 'laptop')
    await assent.ask(anAsk())
    await expect.poll(() => failed).toEqual([expect.stringContaining('address_refused (after 1 attempt)')])
    expect(service.pushed).toEqual([])
  })

  test('keys and addresses outlive a rotation of keys, and are sealed in the store', async () => {
    const { assent, service, add, channel } = await aPlace()
    await add(alice, 'laptop')
    const before = channel.browsers?.publicKey()
    await assent.keys.rotate()
    const [kept] = await assent.store.pushes.list(alice)
    // Under a key of its own, which no rotation drops.
    expect(kept?.sealed).toMatch(/^push~/)
    expect(JSON.stringify(kept)).not.toContain('127.0.0.1')
    await assent.ask(anAsk())
    await expect.poll(() => service.pushed.length).toBe(1)
    expect(channel.browsers?.publicKey()).toBe(before)
    await assent.forget(alice)
    expect(await assent.subscriptions.list(alice)).toEqual([])
  })

  test('refuses a contact that nobody can be reached by', () => {
    for (const contact of ['ops@example.com', 'http://example.com', '']) {
      expect(() => pushChannel({ contact })).toThrow('mailto:ops@example.com')
    }
  })
})

describe('what a browser posts', () => {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const endpoint = 'https://push.example.com/x'

  test('is taken as it is, without what is not needed', () => {
    expect(readPushTarget(JSON.stringify({ endpoint, keys, more: 1 }))).toEqual({ endpoint, ...keys })
  })

  test.each([
    ['no JSON', 'x'],
    ['no keys', JSON.stringify({ endpoint })],
    ['no address', JSON.stringify({ endpoint: 'x', keys })],
    ['a long address', JSON.stringify({ endpoint: `${endpoint}${'x'.repeat(1_024)}`, keys })],
    ['a short secret', JSON.stringify({ endpoint, keys: { ...keys, auth: 'AA' } })],
    ['a point off the curve', JSON.stringify({ endpoint, keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } })],
    ['null', 'null'],
  ])('is refused: %s', (_, text) => {
    expect(readPushTarget(text)).toBeUndefined()
  })
})
