import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkPageUrl, type UrlWarning } from '../../src/client/page/url-safety.ts'

describe('addresses that may be opened', () => {
  test.each<[string, string, UrlWarning[]]>([
    ['https://example.com/a?b=c#d', 'example.com', []],
    ['https://example.com:443/', 'example.com', []],
    ['https://example.com:80/', 'example.com:80', []],
    ['http://localhost:3000/x', 'localhost:3000', []],
    ['http://app.localhost:3000/x', 'app.localhost:3000', []],
    ['http://127.0.0.1/x', '127.0.0.1', []],
    ['http://0x7f.1/x', '127.0.0.1', []],
    ['http://[::1]:9999/', '[::1]:9999', []],
    ['http://example.com/', 'example.com', ['not-https']],
    ['http://localhost.example.com/', 'localhost.example.com', ['not-https']],
    ['https://example.com:8443/', 'example.com:8443', ['odd-port']],
    ['https://good.example.com@evil.example.net/', 'evil.example.net', ['credentials']],
    ['https://user:secret@example.com/', 'example.com', ['credentials']],
    ['https://93.184.216.34/', '93.184.216.34', ['ip-address']],
    ['https://1572395042/', '93.184.216.34', ['ip-address']],
    ['https://[2001:db8::1]/', '[2001:db8::1]', ['ip-address']],
    ['https://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]', ['ip-address']],
    ['https://bücher.example/', 'xn--bcher-kva.example', ['punycode']],
    ['https://日本語カナ.jp/', 'xn--lck2c295sncbk91h.jp', ['punycode']],
    ['https://яндекс.рф/', 'xn--d1acpjx3f.xn--p1ai', ['punycode']],
    // The first letter is Cyrillic.
    ['https://аpple.com/', 'xn--pple-43d.com', ['punycode', 'mixed-scripts']],
    ['https://gооgle.com/', 'xn--ggle-55da.com', ['punycode', 'mixed-scripts']],
    [
      'http://u@аpple.com:8080/',
      'xn--pple-43d.com:8080',
      ['credentials', 'not-https', 'punycode', 'mixed-scripts', 'odd-port'],
    ],
  ])('%s is on %s, with warnings %j (E11-38)', (text, host, warnings) => {
    expect(checkPageUrl(text)).toMatchObject({ kind: 'allowed', host, warnings })
  })

  test('are shown and opened as a browser reads them, in ASCII', () => {
    expect(checkPageUrl('HTTPS:\\\\Example.com\\@evil.com/é b')).toMatchObject({
      url: 'https://example.com/@evil.com/%C3%A9%20b',
      host: 'example.com',
    })
  })
})

describe('addresses that are never opened (S-10)', () => {
  test.each([
    ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'javascript://example.com/%0aalert(1)', 'vbscript:msgbox(1)'],
    ...['data:text/html,<script>alert(1)</script>', 'file:///etc/passwd', 'file://host/share', 'blob:https://x.com/1'],
    ...['about:blank', 'ftp://example.com/', 'ws://example.com/', 'chrome://settings', 'ms-msdt:/id', 'tel:123'],
    ...['view-source:https://example.com', 'mailto:a@example.com', 'smb://host/x', 'search-ms:query=x', 'x:y'],
    ...[
      '',
      ' ',
      '/relative',
      'example.com',
      '//example.com/x',
      'https://',
      'https:',
      'http://[',
      'https://exa mple.com/',
    ],
    ...[
      'java\nscript:alert(1)',
      '\x01javascript:alert(1)',
      'https://example.com/\x1b[2J',
      'https://example.com/\u202e',
    ],
    ...['https://exam\u200bple.com/', 'https://example.com/\r\nHost: evil', 'https://example.com/\u{e0041}'],
    ...['https://xn--a.com/', '-a Calculator', '--help', '$(id)', '`id`'],
  ])('%j', (text) => {
    expect(checkPageUrl(text)).toEqual({ kind: 'refused', reason: expect.stringMatching(/^The address [^\n]+\.$/) })
  })

  test('an address that is too long to be shown in full', () => {
    expect(checkPageUrl(`https://example.com/${'x'.repeat(9_000)}`).kind).toBe('refused')
  })
})

test('of any text, only a web address in visible ASCII is allowed', () => {
  const parts = fc.constantFrom(
    'https:',
    'http:',
    'javascript:',
    '//',
    '/',
    '@',
    ':',
    '\\',
    'a.b',
    'xn--',
    'é',
    '\n',
    '%0a',
    ' ',
    '"',
    "'",
  )
  const text = fc.oneof(
    fc.array(parts).map((all) => all.join('')),
    fc.webUrl(),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (text) => {
      const checked = checkPageUrl(text)
      if (checked.kind === 'refused') return
      expect(checked.url).toMatch(/^https?:\/\/[\x21-\x7e]+$/)
      expect(new URL(checked.url).host).toBe(checked.host)
    }),
    { numRuns: 2_000 },
  )
})
