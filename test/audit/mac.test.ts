import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  anchorAt,
  chainEvent,
  digestKept,
  isGenuine,
  isGenuineAnchor,
  isKeptGenuine,
} from '../../src/audit/chain/mac.ts'
import type { AuditEvent, ChainId, Head, Pseudonym } from '../../src/audit/event.ts'
import { key, later, otherKey, start } from '../support/audit/audits.ts'

const opened: Head = { chain: 'c' as ChainId, seq: 0, mac: '' }
const draft = {
  at: start,
  kind: 'called',
  who: 'p-1' as Pseudonym,
  about: 'x',
  data: { b: 1, a: [true] },
  keptDigest: 'd',
}

const hmac = (text: string) => createHmac('sha256', key).update(text).digest('base64url')

describe('the mac of an event', () => {
  test('is over its purpose and its canonical JSON, which no later version may spell otherwise', () => {
    const text =
      '{"about":"x","at":"2026-03-01T12:00:00.000Z","chain":"c","data":{"a":[true],"b":1},"keptDigest":"d",' +
      '"kind":"called","prev":"","seq":1,"who":"p-1"}'
    expect(chainEvent(key, opened, draft)).toEqual({
      ...draft,
      chain: 'c',
      seq: 1,
      prev: '',
      mac: hmac(`assent audit event\n${text}`),
    })
  })

  test('holds whatever the order of keys, and for nothing else', () => {
    const event = chainEvent(key, { ...opened, seq: 4, mac: 'before' }, draft)
    expect(isGenuine(key, { ...event, data: { a: [true], b: 1 } })).toBe(true)
    expect(isGenuine(otherKey, event)).toBe(false)

    const changes: Partial<AuditEvent>[] = [
      { chain: 'd' as ChainId },
      { seq: 6 },
      { at: later(1) },
      { kind: 'read' },
      { who: 'p-2' as Pseudonym },
      { about: 'y' },
      { data: { a: [true] } },
      { keptDigest: 'e' },
      { prev: '' },
      { mac: '' },
      { mac: `${event.mac.slice(0, -1)}_` },
    ]
    for (const change of changes) expect(isGenuine(key, { ...event, ...change }), JSON.stringify(change)).toBe(false)
    for (const field of ['who', 'about', 'keptDigest'] as const) {
      const { [field]: gone, ...rest } = event
      expect(isGenuine(key, rest), field).toBe(false)
    }
  })

  test('cannot hold for what is no date, or no JSON', () => {
    const event = chainEvent(key, opened, draft)
    expect(isGenuine(key, { ...event, at: new Date(Number.NaN) })).toBe(false)
    expect(isGenuine(key, { ...event, data: { half: '\ud800' } })).toBe(false)
  })
})

test('what is kept must be what was digested, and may be gone', () => {
  const kept = { salt: 's', value: { path: '/etc' } }
  const keptDigest = digestKept(kept)
  const { keptDigest: _, ...event } = chainEvent(key, opened, { ...draft, keptDigest })
  expect(isKeptGenuine({ ...event, keptDigest, kept })).toBe(true)
  expect(isKeptGenuine({ ...event, keptDigest })).toBe(true)
  expect(isKeptGenuine({ ...event, kept })).toBe(false)
  for (const change of [{ salt: 't' }, { value: { path: '/tmp' } }, { value: { path: '\ud800' } }]) {
    expect(isKeptGenuine({ ...event, keptDigest, kept: { ...kept, ...change } })).toBe(false)
  }
})

test('an anchor holds for its own place and key alone', () => {
  const anchor = anchorAt(key, { chain: 'c' as ChainId, seq: 3, mac: 'm' })
  expect(anchor.anchorMac).toBe(hmac('assent audit anchor\n{"chain":"c","mac":"m","seq":3}'))
  expect(isGenuineAnchor(key, anchor)).toBe(true)
  expect(isGenuineAnchor(otherKey, anchor)).toBe(false)
  for (const change of [{ chain: 'd' as ChainId }, { seq: 2 }, { mac: 'n' }, { anchorMac: '' }]) {
    expect(isGenuineAnchor(key, { ...anchor, ...change })).toBe(false)
  }
})
