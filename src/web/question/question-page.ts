import type { Elicitation } from '../../elicitation/elicitation.ts'
import { pageOf, type Sheet } from '../pages/layout/frame.ts'
import { apiKeySheet } from '../pages/question/api-key-page.ts'
import { approvalSheet } from '../pages/question/approval-page.ts'
import { confirmSheet } from '../pages/question/confirm-page.ts'
import { formSheet } from '../pages/question/form-page.ts'
import { settledPage } from '../pages/question/settled-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { approvalProps, type RefusedPost } from './approval.ts'
import { typedIn } from './posted-answer.ts'
import { labelsFrom, questionFacts, settledProps } from './question-facts.ts'

/** The page of an open question. After a refused answer it repeats what was typed, except a secret. */
export function questionPage(
  c: WebContext,
  asked: Elicitation,
  viewer: Viewer,
  action: string,
  refused?: RefusedPost,
): string | Promise<string> {
  const custom = customPageOf(c, asked)
  if (custom) return custom.show(asked, frameFor(c), refused?.errors ?? [])
  return pageOf(frameFor(c), questionSheet(c, asked, viewer, action, refused))
}

/** The contents of a question's page, unless it is a custom page. `action` is where the answer is posted to. */
export function questionSheet(
  c: WebContext,
  asked: Elicitation,
  viewer: Viewer,
  action: string,
  refused?: RefusedPost,
): Sheet {
  const frame = frameFor(c)
  const { question, purpose } = asked
  const { schema } = question
  const errors = refused?.errors ?? []
  const facts = questionFacts(asked, viewer, action)
  const approval = approvalProps(asked, viewer, facts, refused)
  const { passkeyNeed } = c.var
  if (approval !== undefined) {
    return approvalSheet(frame, { ...approval, ...(passkeyNeed && { passkey: passkeyNeed }) })
  }
  if (purpose === 'secret' && schema !== undefined) {
    const labels = labelsFrom(asked, ['fieldLabel', 'placeholder', 'description'])
    return apiKeySheet(frame, { asked: facts, schema, labels, errors })
  }
  if (schema !== undefined) {
    return formSheet(frame, { asked: facts, schema, errors, ...(refused && { typed: typedIn(refused.form, schema) }) })
  }
  return confirmSheet(frame, {
    asked: facts,
    labels: labelsFrom(asked, ['title', 'warning', 'confirmLabel', 'cancelLabel', 'link']),
  })
}

/** The page of a settled question; undefined while the question is open. */
export function endPage(c: WebContext, elicitation: Elicitation, viewer: Viewer, came?: 'late'): string | undefined {
  const end = settledProps(elicitation, viewer, came)
  return end && settledPage(frameFor(c), { ...end, isFromInbox: isFromInbox(c) })
}

/** Whether the question is answered in the inbox, to which the person then returns. */
export function isFromInbox({ req }: WebContext): boolean {
  return req.query('from') === 'inbox'
}

/** The installation's own page for this question; undefined if it has none. */
export function customPageOf({ var: { site } }: WebContext, { question }: Elicitation) {
  return question.mode === 'url' && question.page !== undefined ? site.custom.get(question.page) : undefined
}
