import { pageOf, type Sheet } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { ConfirmPageProps, Frame } from '../props.ts'
import { externalLink } from './external-page.ts'
import { deadline, questionForm, questionHead } from './question-parts.ts'
import { quotation, visible } from './quote.ts'

/** Asks for a yes or a no. */
export function confirmPage(frame: Frame, props: ConfirmPageProps): string {
  return pageOf(frame, confirmSheet(frame, props))
}

export function confirmSheet(frame: Frame, { asked, labels }: ConfirmPageProps): Sheet {
  const title = labels.title?.trim() || `Let ${asked.server} go ahead?`
  return {
    title,
    body: markup`${questionHead('confirm', asked, visible(title, 200), markup`${visible(asked.server)} continues only with your yes.`)}
${quotation(asked.server, asked.message)}
${warning(labels.warning)}${externalLink(labels.link ?? '')}
${questionForm(frame, asked.action, {
  accept: visible(labels.confirmLabel?.trim() || 'Yes, go ahead', 60),
  decline: visible(labels.cancelLabel?.trim() || 'No', 60),
})}
${deadline(frame, asked, 'Nothing runs.')}`,
  }
}

function warning(words = ''): Markup {
  if (words.trim() === '') return markup``
  return markup`<div class="warning">${icons.warning}<p>${visible(words, 1_000)}</p></div>`
}
