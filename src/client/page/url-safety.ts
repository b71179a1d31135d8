import { domainToUnicode } from 'node:url'
import { isUrl } from '../../base/public-address.ts'
import { isLoopback } from '../../elicitation/asking/url.ts'

/** What a person should be warned of before they open an address. */
export type UrlWarning = 'punycode' | 'mixed-scripts' | 'credentials' | 'not-https' | 'odd-port' | 'ip-address'

/** The result of checking an address before it is shown. */
export type CheckedUrl =
  | { readonly kind: 'allowed'; readonly url: string; readonly host: string; readonly warnings: readonly UrlWarning[] }
  /** The address must not be opened. */
  | { readonly kind: 'refused'; readonly reason: string }

const maxLength = 8_192
/** Characters that a browser ignores or a person cannot see. An address with them can be read in two ways. */
const hiddenCharacters = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/**
 * Whether a person may be sent to an address, and what to warn them of (E11-38, S-10). Returns the address as browsers
 * read it, in ASCII; only that form is shown and opened. Fetches nothing.
 */
export function checkPageUrl(text: string): CheckedUrl {
  if (text.length > maxLength) return refused('The address is too long to be shown in full.')
  if (hiddenCharacters.test(text)) return refused('The address contains hidden characters.')
  if (!isUrl(text)) return refused('The address is not a complete web address.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused(`The address begins with ${scheme(url)}, but only web addresses (https: and http:) are opened.`)
  }
  // A user name that looks like a host is a warning and not a refusal, so that the person sees the address.
  return { kind: 'allowed', url: url.href, host: url.host, warnings: warningsOf(url) }
}

const refused = (reason: string): CheckedUrl => ({ kind: 'refused', reason })

function scheme({ protocol }: URL): string {
  return protocol.length > 30 ? `${protocol.slice(0, 30)}…` : protocol
}

function warningsOf(url: URL): UrlWarning[] {
  const isHere = isLoopback(url.hostname)
  const labels = url.hostname.split('.')
  const found: Readonly<Record<UrlWarning, boolean>> = {
    credentials: url.username !== '' || url.password !== '',
    'not-https': url.protocol !== 'https:' && !isHere,
    punycode: labels.some((label) => label.startsWith('xn--')),
    'mixed-scripts': labels.some(mixesScripts),
    'ip-address': !isHere && isIpAddress(url.hostname),
    'odd-port': !isHere && !['', '80', '443'].includes(url.port),
  }
  return (Object.keys(found) as UrlWarning[]).filter((warning) => found[warning])
}

/** After parsing, a host in brackets is an IPv6 address, and one whose last part is a number an IPv4 address. */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /(?:^|\.)\d+$/.test(hostname)
}

/** Sets of scripts that one language uses together. */
const scriptSets = [
  ...['Latin', 'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'],
  ...['Arabic', 'Armenian', 'Bengali', 'Cherokee', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek'],
  ...['Gujarati', 'Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Mongolian', 'Myanmar', 'Oriya'],
  ...['Sinhala', 'Syriac', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((scripts) => {
  const letters = [...scripts.split(' '), 'Common', 'Inherited'].map((script) => `\\p{Script=${script}}`)
  return new RegExp(`^[${letters.join('')}]*$`, 'u')
})

/** Whether a label mixes scripts that no language uses together, as look-alike names do. */
function mixesScripts(label: string): boolean {
  if (!label.startsWith('xn--')) return false
  const written = domainToUnicode(label)
  return written === '' || !scriptSets.some((writing) => writing.test(written))
}
