import type { Sheet } from './frame.ts'
import { markup } from './markup.ts'
import type { AskedFacts, Frame } from './props.ts'
import { deadline, questionHead } from './question.ts'
import { quotation, said } from './quote.ts'

/** A question that is answered at another site: where that is, and a way there. */
export function elsewhereSheet(frame: Frame, { asked, url }: { asked: AskedFacts; url: string }): Sheet {
  const isWeb = URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol)
  const host = isWeb ? new URL(url).host : 'another place'
  return {
    title: `Go to ${host}?`,
    body: markup`${questionHead('browser', asked, markup`Go to ${said(host)}?`, markup`${said(asked.server)} asks there, and not here.`)}
${quotation(asked.server, asked.message)}
${isWeb && markup`<p class="code">${said(url, 400)}</p><p><a class="button" href="${url}" rel="noreferrer noopener" target="_blank">Open ${said(host)}</a></p>`}
${deadline(frame, asked, 'Nothing happens.')}`,
  }
}
