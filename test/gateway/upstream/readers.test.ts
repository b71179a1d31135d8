import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../../src/base/limits/budget.ts'
import { readChallenge } from '../../../src/gateway/upstream/http/challenge.ts'
import { EventReader } from '../../../src/gateway/upstream/http/events.ts'
import { LineReader } from '../../../src/gateway/upstream/stdio/lines.ts'
import { encodeHeaderValue } from '../../../src/gateway/upstream/wire/header-values.ts'
import { readMessage } from '../../../src/gateway/upstream/wire/message.ts'

/** The bytes of a text, cut at any place, also in the middle of a character. */
const cut = (text: string, sizes: number[]): Buffer[] => {
  const chunks: Buffer[] = []
  let rest = Buffer.from(text)
  for (const size of sizes) {
    chunks.push(rest.subarray(0, size))
    rest = rest.subarray(size)
  }
  return [...chunks, rest]
}
const anyBytes = (bytes: number) => new Budget(1_000_000, 1_000_000).lease('', bytes)
const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 })

describe('server-sent events', () => {
  const read = (chunks: Buffer[], limit = 1_000) => {
    const received: string[] = []
    const reader = new EventReader(
      limit,
      { event: (data) => received.push(data), tooLong: () => received.push('too long') },
      anyBytes,
    )
    for (const chunk of chunks) reader.read(chunk)
    return { received, reader }
  }

  test('are the same wherever the bytes are cut and however lines end', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\r\n\0]/.test(text))
    const event = fc.array(line, { minLength: 1, maxLength: 3 })
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), end, sizes, (events, end, sizes) => {
        const text = events.map((lines) => `${lines.map((line) => `data: ${line}${end}`).join('')}${end}`).join('')
        const wanted = events.map((lines) => lines.join('\n')).filter((data) => data !== '')
        // A line is complete only when more follows, because a CR may be half of a CR LF.
        expect(read(cut(`${text}:${end}:`, sizes)).received).toEqual(wanted)
      }),
    )
  })

  test('give the id to resume from once an event is complete', () => {
    const { reader, received } = read([Buffer.from('\ufeffid: 7\nretry: 300\nevent: x\ndata:\n\nid: 8\ndata: {}\n')])
    expect(reader.lastId).toBe('7')
    expect(reader.retry).toBe(300)
    expect(received).toEqual([])
  })

  test('are never buffered beyond the limit', () => {
    expect(read([Buffer.from(`data: ${'x'.repeat(50)}`)], 40).received).toEqual(['too long'])
    expect(read([Buffer.from(`data: ${'x'.repeat(50)}\n\n`)], 40).received).toEqual(['too long'])
    expect(read([Buffer.from('data: xxxxxxxxx\n'.repeat(6))], 40).received).toEqual(['too long'])
  })
})

describe('lines', () => {
  const read = (chunks: Buffer[], limit: number, reserve = anyBytes) => {
    const received: string[] = []
    const reader = new LineReader(
      limit,
      {
        line: (text) => received.push(text),
        tooLong: (head, tail) => received.push(`too long ${head.slice(0, 3)}…${tail.slice(-3)}`),
        endless: () => received.push('endless'),
      },
      reserve,
    )
    for (const chunk of chunks) reader.read(chunk)
    return received
  }

  test('are the same wherever the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/\s/.test(text))
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, sizes) => {
        expect(read(cut(lines.map((line) => `${line}\r\n`).join('\n'), sizes), 1_000)).toEqual(lines)
      }),
    )
  })

  test('over the limit are reported with their beginning and end, and the next line is read', () => {
    const text = `abc${'x'.repeat(5_000)}yz!\nnext\n`
    for (const size of [1, 100, 10_000]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        Buffer.from(text.slice(n * size, (n + 1) * size)),
      )
      expect(read(chunks, 2_000)).toEqual(['too long abc…yz!', 'next'])
    }
  })

  test('an attack: a line that never ends is noticed, is not kept, and costs as much as any other', () => {
    const chunk = Buffer.alloc(65_536, 'x')
    const received: string[] = []
    let held = 0
    const reserve = (bytes: number) => {
      held = Math.max(held, bytes)
      return anyBytes(bytes)
    }
    const reader = new LineReader(
      100_000,
      {
        line: (text) => received.push(text),
        tooLong: () => received.push('too long'),
        endless: () => received.push('endless'),
      },
      reserve,
    )
    for (let count = 0; count < 20_000; count += 1) reader.read(chunk)
    expect(received).toEqual(['endless'])
    expect(held).toBeLessThanOrEqual(100_000)
    reader.read(Buffer.from('\nnext\n'))
    expect(received).toEqual(['endless', 'too long', 'next'])
  })

  test('for which there is no room are too long', () => {
    const chunks = [Buffer.alloc(20_000, 'x'), Buffer.from('y\nnext\n')]
    expect(read(chunks, 100_000, () => undefined)).toEqual(['too long xxx…xxy', 'next'])
  })
})

test('any text is read as a message or as undefined', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect([undefined, 'response', 'request', 'notification']).toContain(readMessage(text, 1_000)?.kind)
    }),
  )
  expect(readMessage('{"id":1,"error":{"code":"x"}}', 1_000)).toEqual({
    kind: 'response',
    id: 1,
    error: { code: -32603, message: 'The server gave no message.' },
  })
  expect(readMessage('{"id":1,"result":7}', 1_000)).toBeUndefined()
  expect(readMessage(`{"id":1,"result":{"a":[${'{},'.repeat(1_000)}0]}}`, 1_000)).toBeUndefined()
})

test('an encoded header value is visible ASCII and decodes to the original (H26-05)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const written = encodeHeaderValue(value)
      expect(written).toMatch(/^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/)
      const [, base64] = /^=\?base64\?(.*)\?=$/.exec(written) ?? []
      expect(base64 === undefined ? written : Buffer.from(base64, 'base64').toString()).toBe(value.toWellFormed())
    }),
  )
})

test('only a 401, or a 403 with a challenge, asks for a credential', () => {
  expect(readChallenge(403, {})).toBeUndefined()
  expect(readChallenge(200, { 'www-authenticate': 'Bearer' })).toBeUndefined()
  expect(readChallenge(401, { 'www-authenticate': ['Basic realm="a\\"b"', 'Bearer scope=one'] })).toEqual({
    kind: 'unauthorized',
    status: 401,
    scopes: ['one'],
  })
})
