import type { LinkTo } from '../channel.ts'
import type { Elicitation } from '../elicitation.ts'

/** The page of ours where a question is answered; for one that is answered elsewhere, the page that says how it stands. */
export function answerLink(linkTo: LinkTo, { id, question, purpose }: Elicitation): string {
  if (purpose === 'approval') return linkTo(id, 'approve')
  if (question.mode === 'form') return linkTo(id, 'form')
  return question.page === undefined ? linkTo(id, 'status') : question.url
}
