import { visibleLine } from '../../base/text/visible-text.ts'
import type { UrlWarning } from '../page/url-safety.ts'
import type { UrlRequest } from '../ui.ts'
import { named, showAsker } from './asker.ts'
import type { Dialogue } from './dialogue.ts'
import type { Screen } from './screen.ts'

const longestUrl = 10_000

/** Shows where a page is, all of it, and asks whether to open it (E11-07, E11-36). */
export async function askToOpen(
  dialogue: Dialogue,
  screen: Screen,
  request: UrlRequest,
): Promise<'open' | 'decline' | 'cancel'> {
  showUrl(screen, request)
  screen.say('Type open to open it in your browser. :decline says no, :cancel or Ctrl-C leaves.', { style: 'dim' })
  for (;;) {
    const said = await dialogue.ask(`Open ${visibleLine(request.host, 60)}? › `)
    if (said.kind === 'leave') return said.action
    const word = said.kind === 'text' ? said.text.toLowerCase() : `:${said.name}`
    if (word === 'open' || word === 'yes' || word === 'y') return 'open'
    if (word === 'no' || word === 'n') return 'decline'
    screen.say(word === '' ? '✗ Nothing is opened yet.' : `✗ ${visibleLine(word, 40)} is no choice.`)
  }
}

/** Who wants the person to go where, and what is odd about it. */
export function showUrl(screen: Screen, request: UrlRequest): void {
  const { host, warnings } = request
  showAsker(screen, request, 'asks you to open a page')
  screen.say()
  // Not wrapped, so that it can be copied.
  screen.raw(`  ${highlighted(screen, visibleLine(request.url, longestUrl))}\n`)
  screen.say()
  screen.say(`The page is on ${visibleLine(host)}.`, { indent: '  ', style: 'bold' })
  for (const warning of warnings) screen.say(`! ${inWords[warning]}`, { indent: '  ' })
  if (warnings.length > 0)
    screen.say(`! Open it only if you expected ${named(request.asker)} to send you there.`, { indent: '  ' })
}

/** The host where the browser reads it: after a user and a password, before the path. */
function highlighted(screen: Screen, url: string): string {
  const [, before, host, after] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return host === undefined ? url : `${before}${screen.underline(screen.bold(host))}${after}`
}

const inWords: Readonly<Record<UrlWarning, string>> = {
  credentials: 'What stands before the @ is a user name and not the host: it may be there to mislead you.',
  'not-https': 'It is not https: others on the network can read and change what you see and type there.',
  punycode: 'The host has letters beyond a to z, which can look like others. It is shown as computers read it.',
  'mixed-scripts': 'The host mixes letters of several alphabets in one word, as names made to deceive do.',
  'ip-address': 'The host is a bare number and not a name.',
  'odd-port': 'It is on an unusual port.',
}
