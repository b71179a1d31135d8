import { isUrl } from '../../../base/public-address.ts'
import type { Sheet } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { AskedFacts, Frame } from '../props.ts'
import { deadline, questionHead } from './question-parts.ts'
import { quotation, visible } from './quote.ts'

/** A question that is answered at another site, with a link to it. */
export function externalSheet(frame: Frame, { asked, url }: { asked: AskedFacts; url: string }): Sheet {
  const host = isWeb(url) ? new URL(url).host : 'another site'
  return {
    title: `Go to ${host}?`,
    body: markup`${questionHead('browser', asked, markup`Go to ${visible(host)}?`, markup`${visible(asked.server)} asks you to answer there, not here.`)}
${quotation(asked.server, asked.message)}
${externalLink(url)}
${deadline(frame, asked, 'Nothing happens.')}`,
  }
}

/** A link to another site, with its full address; nothing for an address that is not http or https. */
export function externalLink(url: string): Markup {
  if (!isWeb(url)) return markup``
  return markup`<p class="code">${visible(url, 400)}</p><p><a class="button" href="${url}" rel="noreferrer noopener" target="_blank"><span>Open ${visible(new URL(url).host)}</span></a></p>`
}

function isWeb(url: string): boolean {
  return isUrl(url) && ['https:', 'http:'].includes(new URL(url).protocol)
}
