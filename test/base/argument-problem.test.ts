import { expect, test } from 'vitest'
import { callDigest } from '../../src/approval/tool-call.ts'
import { argumentProblem } from '../../src/base/canonical.ts'
import { type JsonObject, parseJson } from '../../src/base/json.ts'
import { aCall } from '../support/approval/a-call.ts'

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test.each([
  ['{"id":9007199254740993}', 'arguments.id is 9007199254740993, which has more digits than are kept exactly.'],
  ['{"rows":[1,{"n":-1e400}]}', 'arguments.rows[1].n is too large for a number. Send it as a string.'],
  ['{"text":"half \\ud83d"}', 'arguments.text has half a surrogate pair, which is not text. Send whole characters.'],
  ['{"a":{"\\udc00":1}}', 'arguments.a.‹U+DC00› has half a surrogate pair'],
  [nested(130), /^arguments….*\.a\.a is nested deeper than 120 levels\. Send it less deeply nested\.$/],
  [nested(121), /\.a is nested deeper/],
  [`{"${'x'.repeat(5_000)}":1e400}`, /^arguments\.x{60}… \(4,940 more characters\) is too large/],
])('what cannot be passed on as it came is named, with a remedy (%#)', (text, words) => {
  expect(argumentProblem(parseJson(text), 'arguments')).toMatch(words)
})

test.each(['{}', '[]', 'null', '{"a":[1,"😀",true,null,{"b":-1.5e300}]}', nested(120)])(
  'nothing is wrong with what has a digest (%#)',
  (text) => {
    const given = parseJson(text)
    expect(argumentProblem(given, 'arguments')).toBeUndefined()
    expect(callDigest({ ...aCall(), arguments: { given } as JsonObject })).toBeTypeOf('string')
  },
)

test('arguments that are left out have no problem', () => {
  expect(argumentProblem(undefined, 'arguments')).toBeUndefined()
})
