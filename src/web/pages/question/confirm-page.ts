import { pageOf, type Sheet } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { ConfirmPageProps, Frame } from '../props.ts'
import { wayTo } from './elsewhere-page.ts'
import { deadline, questionForm, questionHead } from './question.ts'
import { quotation, said } from './quote.ts'

/** Asks for a yes or a no, and nothing else. */
export function confirmPage(frame: Frame, props: ConfirmPageProps): string {
  return pageOf(frame, confirmSheet(frame, props))
}

export function confirmSheet(frame: Frame, { asked, labels }: ConfirmPageProps): Sheet {
  const title = labels.title?.trim() || `Let ${asked.server} go ahead?`
  return {
    title,
    body: markup`${questionHead('confirm', asked, said(title, 200), markup`${said(asked.server)} goes on only with your yes.`)}
${quotation(asked.server, asked.message)}
${warning(labels.warning)}${wayTo(labels.link ?? '')}
${questionForm(frame, asked.action, {
  accept: said(labels.confirmLabel?.trim() || 'Yes, go ahead', 60),
  decline: said(labels.cancelLabel?.trim() || 'No', 60),
})}
${deadline(frame, asked, 'Nothing runs.')}`,
  }
}

function warning(words = ''): Markup {
  if (words.trim() === '') return markup``
  return markup`<div class="warning">${icons.warning}<p>${said(words, 1_000)}</p></div>`
}
