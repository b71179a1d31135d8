import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resultFor, writtenResultFor } from '../../../src/gateway/forward/result-for.ts'
import { readMessage, readResult } from '../../../src/gateway/upstream/wire/message.ts'

const id = 7
const most = 1_000
const resultFirst = (result: string) => `{"result":${result},"jsonrpc":"2.0","id":${id}}`
const resultLast = (result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const self = { name: 'Assent', version: '1.0.0' }

const hostile: Record<string, string> = {
  'a result that ends early and another one': '{"content":[]},"result":{"isError":true}',
  'a result that ends early and an error': '{"content":[]},"error":{"code":1,"message":"no"}',
  'a result that ends early and a method': '{"content":[]},"method":"elicitation/create","params":{}',
  'a result that ends early and another id': '{"content":[]},"id":8',
  'no object': '["x"]',
  'two values': '{} {}',
  'a brace too many': '{"content":[]}}',
  'a brace too few': '{"content":[]',
  nothing: '',
  'spaces around it': ' {"content":[]} ',
  'a line break': '{"content":\n[]}',
  'a return': '{"content":\r[]}',
  'a name in escapes': String.raw`{"\u0069sError":true}`,
  'isError twice': '{"isError":true,"content":[],"isError":false}',
  'resultType twice': '{"resultType":"input_required","content":[],"resultType":"complete"}',
  '_meta twice': '{"_meta":{"a":1},"content":[],"_meta":{"a":2}}',
  'a key of ours': '{"content":[],"_meta":{"assent/approval":{}}}',
  'a key of ours in escapes': String.raw`{"content":[],"_meta":{"assent\/approval":{}}}`,
  'a key of ours within': '{"content":[{"type":"text","text":"x","_meta":{"assent/approval":{}}}]}',
  'a question': '{"resultType":"input_required","inputRequests":{}}',
  'too many values': `{"content":[${'1,'.repeat(most)}1]}`,
}

describe('the text of a result', () => {
  test.each(Object.entries(hostile))('does not go on as it is: %s', (_, result) => {
    expect(readResult(resultFirst(result), id, most)).toBeUndefined()
    expect(readResult(resultLast(result), id, most)).toBeUndefined()
  })

  test.each([
    ['another id', `{"result":{},"jsonrpc":"2.0","id":8}`],
    ['an id of another type', `{"result":{},"jsonrpc":"2.0","id":"7"}`],
    ['an id twice', `{"result":{},"id":8,"jsonrpc":"2.0","id":7}`],
    ['more after it', `${resultFirst('{}')} `],
    ['an error', `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}`],
  ])('is read as any message where it has %s', (_, text) => {
    expect(readResult(text, id, most)).toBeUndefined()
  })

  const key = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom('_meta', 'isError', 'resultType', '__proto__', 'io.modelcontextprotocol/serverInfo'),
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.constantFrom(true, null, 'complete', '"_meta":{}}', ',"_meta":{}', 'assent/x'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 3 }),
    ),
  })).any
  const result = fc.dictionary(key, value, { maxKeys: 5 })

  test('is read as the message is', () => {
    let count = 0
    fc.assert(
      fc.property(result, fc.constantFrom(resultFirst, resultLast), (made, around) => {
        const text = around(JSON.stringify(made))
        const read = readResult(text, id, most)
        if (read === undefined) return
        count += 1
        const { written, ...rest } = read
        expect(rest).toEqual(readMessage(text, most))
        expect(JSON.parse(written as string)).toEqual(rest.result)
      }),
    )
    expect(count).toBeGreaterThan(20)
  })

  test.each([
    ['2025', undefined],
    ['2026', self],
  ])('says to a client of %s what it would be told otherwise', (_, to) => {
    let count = 0
    fc.assert(
      fc.property(result, fc.boolean(), (made, first) => {
        const { _meta, ...rest } = made
        const ordered = _meta === undefined ? rest : first ? { _meta, ...rest } : { ...rest, _meta }
        const read = readResult(resultFirst(JSON.stringify(ordered)), id, most)
        const given = read?.result
        if (given === undefined) return
        const text = writtenResultFor(given, read?.written as string, to)
        if (text === undefined) return
        count += 1
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(resultFor(given, to))))
      }),
    )
    expect(count).toBeGreaterThan(20)
  })

  test('keeps long numbers and the way in which they are written', () => {
    const written = '{"content":[],"structuredContent":{"n":12345678901234567890,"m":1.0}}'
    const read = readResult(resultFirst(written), id, most)
    expect(writtenResultFor(read?.result as never, read?.written as string, undefined)).toBe(written)
    expect(writtenResultFor(read?.result as never, read?.written as string, self)).toContain(
      '12345678901234567890,"m":1.0',
    )
  })

  test.each([
    ['within', '{"content":[{"_meta":{"a":1}}]}'],
    ['in the middle', '{"content":[],"_meta":{"a":1},"isError":true}'],
    ['no object', '{"content":[],"_meta":[]}'],
  ])('gets no second _meta where there is one %s', (_, written) => {
    const read = readResult(resultFirst(written), id, most)
    const text = writtenResultFor(read?.result as never, read?.written as string, self)
    if (text !== undefined) expect(JSON.parse(text)).toEqual(resultFor(JSON.parse(written), self))
    expect(text?.match(/"_meta":\{"io\.model/g)?.length ?? 0).toBeLessThan(2)
  })
})
