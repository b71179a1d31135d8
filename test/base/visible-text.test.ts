import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unbounded, visibleLine, visibleText } from '../../src/base/text/visible-text.ts'
import { cpuTimer } from '../support/measure/cpu-time.ts'

test.each([
  ['plain text\nof two lines', 'plain text\nof two lines'],
  ['Grüße, 日本語, здравствуйте, שלום', 'Grüße, 日本語, здравствуйте, שלום'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b[8mhidden\x1b[28m', 'hidden'],
  ['\x1b[2Jgone', '‹U+001B›[2Jgone'],
  ['\x1b]0;title\x07', '‹U+001B›]0;title‹U+0007›'],
  [
    '\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\',
    '‹U+001B›]8;;https://evil.example‹U+001B›\\click‹U+001B›]8;;‹U+001B›\\',
  ],
  ['\x1b[3\x1b[31m1m', '‹U+001B›[31m'],
  ['\x9b31m', '‹U+009B›31m'],
  ['one\r\ntwo\rthree', 'one\ntwo‹U+000D›three'],
  ['a\tb\u00a0c\u3000d', 'a    b c d'],
  ['back\b\b\b\bfront', 'back‹U+0008›‹U+0008›‹U+0008›‹U+0008›front'],
  ['safe\u202etxt.exe', 'safe‹U+202E›txt.exe'],
  ['\u2066\u2067\u2068\u2069\u200e\u200f\u061c', '‹U+2066›‹U+2067›‹U+2068›‹U+2069›‹U+200E›‹U+200F›‹U+061C›'],
  ['pay\u200bpal \u00ad\u2060\ufeff', 'pay‹U+200B›pal ‹U+00AD›‹U+2060›‹U+FEFF›'],
  ['\u{e0041}\u{e0042}', '‹U+E0041›‹U+E0042›'],
  ['a\ufe0fb\u{e0100}', 'a‹U+FE0F›b‹U+E0100›'],
  ['\u3164\u115f\uffa0\u2800', '‹U+3164›‹U+115F›‹U+FFA0›‹U+2800›'],
  ['\u2028\u2029\u0085', '‹U+2028›‹U+2029›‹U+0085›'],
  ['\ud800 \ue000 \uffff', '‹U+D800› ‹U+E000› ‹U+FFFF›'],
  ['👨‍👩‍👧 ❤️ 👍🏽 1️⃣ می‌خواهم क्‍ष', '👨‍👩‍👧 ❤️ 👍🏽 1️⃣ می‌خواهم क्‍ष'],
  ['a\u200db', 'a‹U+200D›b'],
  [`e${'\u0301'.repeat(6)}`, `e${'\u0301'.repeat(4)}‹U+0301›‹U+0301›`],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('says how much was left out', () => {
  expect(visibleText('x'.repeat(5_234))).toBe(`${'x'.repeat(4_000)}… (1,234 more characters)`)
  expect(visibleText('x\n'.repeat(100))).toMatch(/^(x\n){60}… \(41 more lines\)$/)
  expect(visibleText(`${'x'.repeat(3_999)}😀`)).toBe(`${'x'.repeat(3_999)}… (2 more characters)`)
  expect(visibleText('x'.repeat(50_000), unbounded)).toHaveLength(50_000)
})

test('keeps a label on one line', () => {
  expect(visibleLine('one\ntwo')).toBe('one ⏎ two')
})

test('hundreds of thousands of them take no time to speak of', () => {
  const took = cpuTimer()
  for (const unit of ['\x1b[', '\u0301', '\u200d', '👨\u200d', '\n', '\x1b[1;'])
    visibleText(unit.repeat(100_000), unbounded)
  expect(took()).toBeLessThan(10_000)
})

test('whatever the text, nothing in it is obeyed, turned around or hidden', () => {
  const nasty = fc.constantFrom(
    '\x1b',
    '[',
    '31',
    'm',
    ']',
    '\x07',
    '\x9b',
    '\x9d',
    '\r',
    '\n',
    '\t',
    '\u202e',
    '\u2066',
    '\u200d',
    '\u200b',
    '\ufe0f',
    '👍',
    'a',
    '\u{e0001}',
    '\ud83d',
    '\u0301',
  )
  const text = fc.oneof(
    fc.array(nasty).map((all) => all.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  )
  fc.assert(
    fc.property(text, (text) => {
      for (const shown of [visibleText(text), visibleText(text, unbounded)]) {
        expect(shown).not.toMatch(/[^\P{Cc}\n]/u)
        expect(shown).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\u200b\u{e0000}-\u{e007f}]/u)
      }
      expect(visibleLine(text)).not.toContain('\n')
    }),
    { numRuns: 5_000 },
  )
})
