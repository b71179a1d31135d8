import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInPlainSight, showArguments, shownText, showText } from '../../src/base/text/show-text.ts'
import { cpuTimer } from '../support/measure/cpu-time.ts'

const shown = (text: string) => shownText(showText(text))

describe('trap 15: what hides is shown', () => {
  test.each([
    ['text turned around', 'photo_\u202egpj.exe', 'photo_‹U+202E›gpj.exe'],
    ['an isolate', 'a\u2066b\u2069', 'a‹U+2066›b‹U+2069›'],
    ['a zero-width space', 'rm\u200b -rf', 'rm‹U+200B› -rf'],
    ['a joiner between letters', 'a\u200db', 'a‹U+200D›b'],
    ['a byte order mark', '\ufeffa', '‹U+FEFF›a'],
    ['a tag character', 'a\u{e0041}', 'a‹U+E0041›'],
    ['an escape', '\u001b[31mred', '‹U+001B›[31mred'],
    ['a carriage return', 'safe\rrm', 'safe‹U+000D›rm'],
    ['a soft hyphen', 'pass\u00adword', 'pass‹U+00AD›word'],
    ['a blank that is no blank', 'a\u00a0b', 'a‹U+00A0›b'],
    ['a letter that looks like nothing', 'a\u2800\u3164', 'a‹U+2800›‹U+3164›'],
    ['half a character', 'a\ud800', 'a‹U+D800›'],
    ['a tower of marks', `a${'\u0301'.repeat(5)}`, `a${'\u0301'.repeat(4)}‹U+0301›`],
    ['a selector that hides data', '\u263a\ufe0f\ufe0f', '\u263a\ufe0f‹U+FE0F›'],
    ['a selector after a letter', 'a\ufe0f', 'a‹U+FE0F›'],
    ['a joiner after a picture that joins nothing', '👩\u200da', '👩‹U+200D›a'],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(isInPlainSight(text)).toBe(false)
  })
})

describe('trap 15: what passes for another character is shown', () => {
  test.each([
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal.com', 'p‹\u0430 U+0430, not a›ypal.com'],
    ['a Greek letter in a Latin word', 'g\u03bfogle', 'g‹\u03bf U+03BF, not o›ogle'],
    [
      'a word of look-alikes alone',
      '\u0441\u043e\u0441\u043e',
      '‹\u0441 U+0441, not c›‹\u043e U+043E, not o›‹\u0441 U+0441, not c›‹\u043e U+043E, not o›',
    ],
    ['a look-alike label of an address', '\u0440\u0440.com', '‹\u0440 U+0440, not p›‹\u0440 U+0440, not p›.com'],
    [
      'the same hidden in foreign text',
      '\u042d\u0442\u043e \u0440\u0440.com',
      '\u042d\u0442\u043e ‹\u0440 U+0440, not p›‹\u0440 U+0440, not p›.com',
    ],
    ['a wide letter', '\uff41dmin', '‹\uff41 U+FF41, not a›dmin'],
    ['a bold letter', '\u{1d41a}dmin', '‹\u{1d41a} U+1D41A, not a›dmin'],
    ['a slash that is none', 'a.com\u2215b', 'a.com‹\u2215 U+2215, not /›b'],
    ['a dot that is none', 'a\u3002com', 'a‹\u3002 U+3002, not .›com'],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(isInPlainSight(text)).toBe(false)
  })
})

test.each([
  '',
  'plain text,\n\twith lines',
  'Über die Straße, déjà vu, señor',
  'Это просто текст, а не обман: с, о, у',
  'https://ru.example.org/wiki/Москва',
  'αυτό είναι ένα κείμενο',
  '日本語のテキスト',
  'مرحبا بالعالم',
  '👩‍💻 ❤️ 👍🏽 👩🏽‍💻',
  'x² + y³',
])('honest text stays as it is: %j', (text) => {
  expect(shown(text)).toBe(text)
  expect(isInPlainSight(text)).toBe(true)
})

test('no character is ever left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const rebuilt = showText(text)
        .map((piece) =>
          piece.kind === 'hidden' ? String.fromCodePoint(Number.parseInt(piece.code.slice(2), 16)) : piece.text,
        )
        .join('')
      expect(rebuilt).toBe(text)
    }),
    { seed: 15, numRuns: 2_000 },
  )
})

test('arguments are shown one by one: text as text, all else as JSON, names too', () => {
  const given = { to: 'p\u0430y', 'a\u200b': [1, { b: 'c\u202e' }], gone: undefined, ok: true, text: 'true' }
  const lines = showArguments(given).map(({ name, kind, value }) => [shownText(name), kind, shownText(value)])
  expect(lines).toEqual([
    ['to', 'text', 'p‹\u0430 U+0430, not a›y'],
    ['a‹U+200B›', 'json', '[\n  1,\n  {\n    "b": "c‹U+202E›"\n  }\n]'],
    ['ok', 'json', 'true'],
    ['text', 'text', 'true'],
  ])
  expect(isInPlainSight({ list: ['a'] })).toBe(true)
  expect(isInPlainSight({ list: ['a\u202e'] })).toBe(false)
})

test('attack: a very long text is shown in time', () => {
  const took = cpuTimer()
  showText('\u0430a\u200b '.repeat(25_000))
  showText('\u0430'.repeat(100_000))
  expect(took()).toBeLessThan(5_000)
})
