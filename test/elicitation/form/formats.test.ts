import { expect, test } from 'vitest'
import type { TextFormat } from '../../../src/elicitation/form/schema.ts'
import { formats } from '../../../src/elicitation/form/validate.ts'

const fitting: Record<TextFormat, string[]> = {
  email: [
    'ada@example.com',
    'a@b.c',
    'Ada.Lovelace+x@mail.example.co.uk',
    'jürgen@müller.example',
    '用户@例子.中国',
    "o'hara!#$%@x.org",
  ],
  uri: [
    ...['https://example.com', 'http://[::1]:8080/a?b=c#d', 'mailto:ada@example.com', 'urn:isbn:0451450523'],
    ...['ftp://x/%20', 'HTTPS://EXAMPLE.COM/', 'app+x.y-z:thing'],
  ],
  date: ['2026-07-28', '2024-02-29', '2000-02-29', '0000-01-01', '9999-12-31', '2026-04-30'],
  'date-time': [
    ...[
      '2026-07-28T09:30:00Z',
      '2026-07-28t09:30:00z',
      '2026-07-28T09:30:00.123456789+05:30',
      '2026-07-28T00:00:00-23:59',
    ],
    ...['1990-12-31T23:59:60Z', '1990-12-31T15:59:60-08:00', '1991-01-01T05:29:60.5+05:30'],
  ],
}

const failing: Record<TextFormat, string[]> = {
  email: [
    ...[
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@localhost',
      'a b@example.com',
      'ada@example..com',
      'ada@.com',
      'ada@x.com.',
    ],
    ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', 'a@b@example.com', '"a"@example.com', 'ada@-x.com'],
    ...['ada@x-.com', 'ada@ex_ample.com', 'ada@exam\u200bple.com', 'a\u202eda@example.com', 'Ada <ada@example.com>'],
    ...[`${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`, `a@${'b.'.repeat(130)}com`, 'ada@example.com\n'],
  ],
  uri: [
    ...[
      '',
      'example.com',
      '//example.com',
      '/path',
      'https:',
      'https://',
      'https:example.com',
      'http:/x',
      '1x:y',
      ':x',
    ],
    ...[
      'https://exa mple.com',
      'https://example.com/ü',
      'https://x/%2',
      'https://x/%zz',
      'https://x/<a>',
      'https://x:99999/',
      'x:y\n',
    ],
  ],
  date: [
    ...[
      '',
      '2026-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31',
      '2026-01-00',
      '2026-01-32',
      '2026-7-28',
    ],
    ...['28.07.2026', '2026-07-28T00:00:00Z', ' 2026-07-28', '2026-07-28\n', '２０２６-07-28', '12026-07-28'],
  ],
  'date-time': [
    ...['', '2026-07-28', '2026-07-28T09:30Z', '2026-07-28T09:30:00', '2026-07-28 09:30:00Z', '2026-02-30T09:30:00Z'],
    ...['2026-07-28T24:00:00Z', '2026-07-28T09:60:00Z', '2026-07-28T09:30:61Z', '2026-07-28T09:30:00+24:00'],
    ...['2026-07-28T09:30:00+05:60', '2026-07-28T09:30:00+0530', '2026-07-28T09:30:00.Z', '2026-07-28T09:30:60Z'],
    ...['1990-12-31T23:59:60+08:00', '2026-07-28T09:30:00Z\n'],
  ],
}

const cases = (table: Record<TextFormat, string[]>) =>
  Object.entries(table).flatMap(([format, texts]) => texts.map((text) => [format as TextFormat, text] as const))

test.each(cases(fitting))('%s: %j passes', (format, text) => {
  expect(formats[format].fits(text)).toBe(true)
})

test.each(cases(failing))('%s: %j fails', (format, text) => {
  expect(formats[format].fits(text)).toBe(false)
})

test('attack: a long text that nearly fits is judged at once, in every format (trap 30)', () => {
  for (const part of ['a', 'a.', 'a@', '1', '-', '%20', ':', 'a:', '2026-07-28T09:30:00.1']) {
    const long = part.repeat(1_000_000 / part.length)
    for (const { fits } of Object.values(formats)) expect(fits(`${long}\0`)).toBe(false)
  }
})
