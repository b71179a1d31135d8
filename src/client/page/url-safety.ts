import { domainToUnicode } from 'node:url'
import { isLoopback } from '../../elicitation/asking/url.ts'

/** What a person should know before they open an address. */
export type UrlWarning = 'punycode' | 'mixed-scripts' | 'credentials' | 'not-https' | 'odd-port' | 'ip-address'

/** An address judged before anyone sees it. */
export type JudgedUrl =
  | { readonly kind: 'fit'; readonly url: string; readonly host: string; readonly warnings: readonly UrlWarning[] }
  /** It must not be opened at all. */
  | { readonly kind: 'refused'; readonly reason: string }

const longestUrl = 8_192
/** What a browser skips or a person cannot see: in an address it only serves to make two readings of it. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/**
 * Whether a person may be sent to an address, and what to warn them of (E11-38, S-10). Gives the address back as browsers
 * read it, all in ASCII: what is shown and opened is that and not what was written. Fetches nothing.
 */
export function judgeUrl(text: string): JudgedUrl {
  if (text.length > longestUrl) return refused('The address is too long to be shown whole.')
  if (hidden.test(text)) return refused('The address holds hidden characters.')
  if (!URL.canParse(text)) return refused('The address is not a full web address.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused(`The address begins with ${scheme(url)}, and only web addresses are opened.`)
  }
  // A name that looks like a host but is read as a user is for the person to see: a refusal would not show it to them.
  return { kind: 'fit', url: url.href, host: url.host, warnings: warningsOf(url) }
}

const refused = (reason: string): JudgedUrl => ({ kind: 'refused', reason })

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
    'mixed-scripts': labels.some(isMixed),
    'ip-address': !isHere && isIpAddress(url.hostname),
    'odd-port': !isHere && !['', '80', '443'].includes(url.port),
  }
  return (Object.keys(found) as UrlWarning[]).filter((warning) => found[warning])
}

/** A parsed host in brackets is version 6; one whose last part is a number is version 4, however it was written. */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /(?:^|\.)\d+$/.test(hostname)
}

/** The scripts that names are written in; those that one language mixes stand together. */
const writings = [
  ...['Latin', 'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'],
  ...['Arabic', 'Armenian', 'Bengali', 'Cherokee', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek'],
  ...['Gujarati', 'Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Mongolian', 'Myanmar', 'Oriya'],
  ...['Sinhala', 'Syriac', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((scripts) => {
  const letters = [...scripts.split(' '), 'Common', 'Inherited'].map((script) => `\\p{Script=${script}}`)
  return new RegExp(`^[${letters.join('')}]*$`, 'u')
})

/** Whether one label takes letters from scripts that no language mixes, as look-alikes do. */
function isMixed(label: string): boolean {
  if (!label.startsWith('xn--')) return false
  const written = domainToUnicode(label)
  return written === '' || !writings.some((writing) => writing.test(written))
}
