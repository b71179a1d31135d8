import { expect, test } from 'vitest'
import { localeOf } from '../../src/web/http/locale.ts'
import { safeNext } from '../../src/web/http/safe-next.ts'
import { browserName } from '../../src/web/viewer/browser-name.ts'

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de-CH'],
  ['en;q=0.5, fr-CA', 'fr-CA'],
  ['*, en-GB;q=0.2', 'en-GB'],
  ['fr;q=0, en-AU', 'en-AU'],
  ['x'.repeat(2_000), 'en'],
  ['"><script>', 'en'],
  ['', 'en'],
  [undefined, 'en'],
])('a browser that says %j reads dates as %s', (header, locale) => {
  expect(localeOf(header)).toBe(locale)
})

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0', 'Edge on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on macOS'],
  ['curl/8.0 <script>alert(1)</script>', 'A browser'],
  [undefined, 'A browser'],
])('%s is called %s', (agent, name) => {
  expect(browserName(agent)).toBe(name)
})

test.each([
  ['/elicit/1/form', '/elicit/1/form'],
  ['/oauth/connect/notes?elicitation_id=1', '/oauth/connect/notes?elicitation_id=1'],
  ['/a/../b', '/b'],
  ['/x?y=//evil', '/x?y=//evil'],
  ['//evil', undefined],
  ['/.//evil', undefined],
  ['/a/..//evil', undefined],
  ['/\\evil', undefined],
  ['/a\\b', undefined],
  ['http://127.0.0.1:4180/x', undefined],
  ['/ä', undefined],
])('%s goes on to %s', (next, path) => {
  expect(safeNext({ origin: 'http://127.0.0.1:4180' }, next)).toBe(path)
})
