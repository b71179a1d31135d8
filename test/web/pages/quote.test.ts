import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findLookAlikes } from '../../../src/base/text/look-alikes.ts'
import { isDeceptive, quotation, visible } from '../../../src/web/pages/question/quote.ts'

test.each([
  ['Pаypal', [1]],
  ['pay to аррӏе now', [7, 8, 9, 10, 11]],
  ['ｓafe', [0]],
  ['a 𝐛old word', [2]],
  ['Скажите им, что это хор а не сор', []],
  ['Привет, Ada, это о GitHub', []],
  ['Ελληνικά και English', []],
  ['Grüße naïve 日本語 שלום', []],
  ['½ ™ Å', []],
])('in %j the letters at %j pose as others', (text, places) => {
  expect([...findLookAlikes(text).keys()]).toEqual(places)
})

test('what a server wrote is a quotation that says whose it is (E11-04)', () => {
  const quoted = quotation('github', 'Two\nlines').toString()
  expect(quoted).toMatch(/^<figure class="quote"><figcaption>.*<bdi>github<\/bdi> wrote/)
  expect(quoted).toContain('<blockquote dir="auto">Two\nlines</blockquote>')
  expect(quotation('github', ' ').toString()).toBe('')
})

test('a quotation above fields says whose words those are, also where it is empty', () => {
  expect(quotation('github', 'Hello', 'fields').toString()).toContain('wrote this, and the questions below')
  const empty = quotation('github', '', 'fields').toString()
  expect(empty).toContain('wrote the questions below')
  expect(empty).not.toContain('blockquote')
})

test('hidden characters and posing letters stand out', () => {
  expect(visible('pay\u200bpal').toString()).toContain('pay<mark title="A hidden character">U+200B</mark>pal')
  expect(visible('Pаypal').toString()).toContain('P<mark title="Not the letter it looks like">а U+0430</mark>ypal')
})

test('a suggestion that hides something is told apart from one that does not', () => {
  expect(isDeceptive('pay\u200bpal')).toBe(true)
  expect(isDeceptive('Pаypal')).toBe(true)
  expect(isDeceptive('paypal, Grüße\nüber zwei Zeilen')).toBe(false)
})

test('no text of a stranger makes a tag', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', 'а', '\u202e', '‹U+0041›', ' ') }),
      (text) => {
        const bare = visible(text)
          .toString()
          .replaceAll(/<\/?(bdi|mark)( title="[\w ]+")?>/g, '')
        expect(bare).not.toMatch(/[<>"']/)
      },
    ),
  )
})
