import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isInPlainSight,
  isPlainName,
  type Piece,
  showArguments,
  showJson,
  showName,
  shownText,
  showText,
} from '../../src/base/text/show-text.ts'
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
    ['what looks like one of our marks', 'a‹U+202E›b', 'a‹U+2039›U+202E›b'],
    ['what looks like the mark of a look-alike', '‹z U+0061, not a›', '‹U+2039›z U+0061, not a›'],
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
    ['letters that are joined', '\ufb01le', '‹\ufb01 U+FB01, not fi›le'],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(isInPlainSight(text)).toBe(false)
  })
})

describe('attack: look-alikes that no table of letters lists (UTS 39, mixed scripts)', () => {
  test.each([
    ['a small capital', 'g\u1d0fogle', 'g‹\u1d0f U+1D0F, not o›ogle'],
    ['a word of small capitals', '\u1d04\u1d20', '‹\u1d04 U+1D04, not c›‹\u1d20 U+1D20, not v›'],
    ['Coptic', '\u2ca3rod', '‹\u2ca3 U+2CA3, not p›rod'],
    ['Coptic that looks like nothing', 'a\u2cb7', 'a‹\u2cb7 U+2CB7, Coptic›'],
    ['Lisu', 'a\ua4e2', 'a‹\ua4e2 U+A4E2, not S›'],
    ['a word of Lisu', '\ua4e2\ua4df', '‹\ua4e2 U+A4E2, not S›‹\ua4df U+A4DF, not M›'],
    ['small Cherokee', '\uab7abc', '‹\uab7a U+AB7A, not A›bc'],
    ['Deseret', 'r\u{1042c}\u{1042c}t', 'r‹\u{1042c} U+1042C, not o›‹\u{1042c} U+1042C, not o›t'],
    ['Osage', 'r\u{104ea}ot', 'r‹\u{104ea} U+104EA, not o›ot'],
    ['Warang Citi', '\u{118c0}im', '‹\u{118c0} U+118C0, not v›im'],
    ['Tifinagh', '\u2d54k', '‹\u2d54 U+2D54, not O›k'],
    ['Cyrillic that looks like nothing', 'prod\u0436', 'prod‹\u0436 U+0436, Cyrillic›'],
    ['Greek in a Cyrillic word', '\u039c\u043e\u0441\u043a\u0432\u0430', '‹\u039c U+039C, Greek›осква'],
    ['a script that is in no list', 'a\u{10330}', 'a‹\u{10330} U+10330, another script›'],
    ['a mark of another script', 'e\u093c', 'e‹\u093c U+093C, Devanagari›'],
    ['a digit of another script', '1\u09ea', '1‹\u09ea U+09EA, Bengali›'],
    ['a letter for !', 'a\u01c3', 'a‹\u01c3 U+01C3, not !›'],
    ['a letter for l', '\u01c0s', '‹\u01c0 U+01C0, not l›s'],
    ['a line for /', 'a\u27cbb', 'a‹\u27cb U+27CB, not /›b'],
    ['a Katakana letter for /', 'a.com\u30ceb', 'a.com‹\u30ce U+30CE, not /›b'],
    ['a Han stroke for /', 'a.com\u4e3fb', 'a.com‹\u4e3f U+4E3F, not /›b'],
    ['a Philippine sign for /', 'a\u1735b', 'a‹\u1735 U+1735, not /›b'],
    ['a Hebrew sign for :', 'http\u05c3//', 'http‹\u05c3 U+05C3, not :›//'],
    ['an Armenian sign for :', 'http\u0589//', 'http‹\u0589 U+0589, not :›//'],
    ['a modifier for :', 'http\u02f8//', 'http‹\u02f8 U+02F8, not :›//'],
    ['a letter in two parts', 'caf\u0065\u0301', 'caf‹e\u0301 U+0065 U+0301, not U+00E9›'],
    ['a Korean syllable in parts', '\u1112\u1161', '‹\u1112\u1161 U+1112 U+1161, not U+D558›'],
    ['a sign with another code', '5 \u2126', '5 ‹\u2126 U+2126, not U+03A9›'],
    [
      'a hidden mark in a letter of two parts',
      'e\u0301\u034f',
      '‹e\u0301\u034f U+0065 U+0301 U+034F, not U+00E9 U+034F›',
    ],
  ])('%s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(isInPlainSight(text)).toBe(false)
  })
})

test('attack: a look-alike hides behind honest text in another argument, or in the same list', () => {
  const given = { honest: 'Это', list: ['Это', '\u0440\u0440'] }
  expect(isInPlainSight(given)).toBe(false)
  expect(shownText(showJson(given.list))).toBe('["Это","‹\u0440 U+0440, not p›‹\u0440 U+0440, not p›"]')
})

test('a name stands on one line: line ends, tabs and blanks that nobody would see are marked', () => {
  expect(shownText(showName('x: hello\n\nRule 1 says so.\t '))).toBe(
    'x: hello‹U+000A›‹U+000A›Rule 1 says so.‹U+0009›‹U+0020›',
  )
  expect(shownText(showName(' a  b'))).toBe('‹U+0020›a ‹U+0020›b')
  expect(shownText(showName('p\u0430th'))).toBe('p‹\u0430 U+0430, not a›th')
  for (const name of ['path', 'file name', 'größe', '名前', 'a.b/c-d']) expect(isPlainName(name), name).toBe(true)
  for (const name of ['a\nb', 'a ', 'a\u200b']) {
    expect(isInPlainSight({ [name]: 1 }), name).toBe(false)
    expect(isInPlainSight({ deep: [{ [name]: 1 }] }), name).toBe(false)
  }
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
  'Tシャツ、LINEで送る。ノートとデーター',
  '你好，世界！（注意：请看）',
  '한국어 API와 漢字',
  '注音ㄅㄆㄇ',
  'नमस्ते दुनिया',
  'Վերջ։',
  'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ',
  '‹quoted›, and ‹U+1› too',
  'get_данные 5 кг Wi-Fi-роутер',
  'Đặng Thị Hồng, Łódź, Þingvellir',
])('honest text stays as it is: %j', (text) => {
  expect(shown(text)).toBe(text)
  expect(isInPlainSight(text)).toBe(true)
})

test('no character is ever left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const pieces of [showText(text), showName(text)]) expect(rebuilt(pieces)).toBe(text)
    }),
    { seed: 15, numRuns: 2_000 },
  )
})

test('text that is not NFC never passes for text that is', () => {
  const unit = fc.constantFrom(
    'a',
    'e',
    '\u0301',
    '\u0323',
    '\u0308',
    '\u1100',
    '\u1161',
    '\u11a8',
    '\u212b',
    '\u0958',
    ' ',
  )
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(rebuilt(showText(text))).toBe(text)
      if (text.normalize('NFC') !== text) expect(isInPlainSight(text)).toBe(false)
    }),
    { seed: 15, numRuns: 2_000 },
  )
})

function rebuilt(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      piece.kind === 'hidden' ? String.fromCodePoint(Number.parseInt(piece.code.slice(2), 16)) : piece.text,
    )
    .join('')
}

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
  showText('e\u0301'.repeat(100_000))
  showText(Array.from({ length: 60_000 }, (_, index) => `${String.fromCodePoint(0x3400 + index)}a`).join(' '))
  expect(took()).toBeLessThan(5_000)
})
