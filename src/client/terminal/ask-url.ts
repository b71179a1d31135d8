import { visibleLine } from '../../base/text/visible-text.ts'
import type { UrlWarning } from '../page/url-safety.ts'
import type { UrlRequest } from '../ui.ts'
import { askerName, showAsker } from './asker.ts'
import type { Dialogue } from './dialogue.ts'
import type { Screen } from './screen.ts'

const maxUrlLength = 10_000

/** Shows the full address of a page and asks whether to open it (E11-07, E11-36). */
export async function askToOpen(
  dialogue: Dialogue,
  screen: Screen,
  request: UrlRequest,
): Promise<'open' | 'opened' | 'decline' | 'cancel'> {
  showUrl(screen, request)
  screen.print(
    'Type open to open it in your browser, or done if you have opened or answered it elsewhere. :decline refuses, :cancel or Ctrl-C cancels.',
    { style: 'dim' },
  )
  for (;;) {
    const reply = await dialogue.ask(`Open ${visibleLine(request.host, 60)}? › `)
    if (reply.kind === 'exit') return reply.action
    const word = reply.kind === 'text' ? reply.text.toLowerCase() : `:${reply.name}`
    if (word === 'open' || word === 'yes' || word === 'y') return 'open'
    if (word === 'done') return 'opened'
    if (word === 'no' || word === 'n') return 'decline'
    screen.print(
      word === ''
        ? '✗ Type open, or done if you have answered already.'
        : `✗ ${visibleLine(word, 40)} is not one of the choices.`,
    )
  }
}

/** Shows who asks to open a page, its full address, and the warnings about it. */
export function showUrl(screen: Screen, request: UrlRequest): void {
  const { host, warnings } = request
  showAsker(screen, request, 'asks you to open a page')
  screen.print()
  // The address is not wrapped, so that it can be copied.
  screen.raw(`  ${highlighted(screen, visibleLine(request.url, maxUrlLength))}\n`)
  screen.print()
  screen.print(`The page is on ${visibleLine(host)}.`, { indent: '  ', style: 'bold' })
  for (const warning of warnings) screen.print(`! ${warningTexts[warning]}`, { indent: '  ' })
  if (warnings.length > 0)
    screen.print(`! Open it only if you expected ${askerName(request.asker)} to send you there.`, { indent: '  ' })
}

/** The address with its host highlighted: the part after a user and a password, and before the path. */
function highlighted(screen: Screen, url: string): string {
  const [, before, host, after] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return host === undefined ? url : `${before}${screen.underline(screen.bold(host))}${after}`
}

const warningTexts: Readonly<Record<UrlWarning, string>> = {
  credentials: 'The part before the @ is a user name and not the host. It may be there to mislead you.',
  'not-https': 'The page does not use https: others on the network can read and change what you see and type there.',
  punycode:
    'The host has letters other than a to z, which can look like different letters. It is shown in its encoded form (xn--).',
  'mixed-scripts': 'The host mixes letters of several alphabets in one word. Deceptive names often do.',
  'ip-address': 'The host is an IP address and not a name.',
  'odd-port': 'The page is on an unusual port.',
}
