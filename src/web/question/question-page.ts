import { approvalIn } from '../../approval/question/subject.ts'
import { behindText, clientText } from '../../base/text/names.ts'
import { askerLeftAt, askerLeftWords, type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import type { Person } from '../../participant/identify.ts'
import { peopleSeen } from '../../participant/people.ts'
import { agentsBehind, namedClient } from '../../participant/requester.ts'
import { pageOf, type Sheet } from '../pages/layout/frame.ts'
import type { AskedFacts, SettledPageProps } from '../pages/props.ts'
import { apiKeySheet } from '../pages/question/api-key-page.ts'
import { approvalSheet } from '../pages/question/approval-page.ts'
import { confirmSheet } from '../pages/question/confirm-page.ts'
import { formSheet } from '../pages/question/form-page.ts'
import { settledPage } from '../pages/question/settled-page.ts'
import { preparePasskey } from '../passkey/passkey-need.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { personName } from '../viewer/person-name.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { approvalEnd, approvalProps, type RefusedPost, serverWords } from './approval.ts'
import { typedIn } from './posted-answer.ts'

/** Finds out, before a question is shown, what else its page needs to know. */
export async function prepareQuestion(c: WebContext, asked: Elicitation, viewer: Viewer): Promise<void> {
  await preparePasskey(c, asked, viewer)
  if (isSettled(asked) || asked.answerers.delegate === undefined) return
  c.set('seenPeople', await peopleSeen(c.var.site.assent.store.browsers))
}

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
  const approval = approvalProps(asked, viewer, facts, refused, c.var.seenPeople)
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

/** What every page says about a question, to this person. `action` is where its forms are posted to. */
export function questionFacts(elicitation: Elicitation, viewer: Person, action: string): AskedFacts {
  const { origin, requester, question, createdAt, expiresAt } = elicitation
  const client = namedClient(requester)
  return {
    server: origin.server,
    client: clientText(client, 'label'),
    asker: clientText(client, client.known === 'verified' ? 'label' : 'asker') + behindText(agentsBehind(requester)),
    ...(requester.participant !== viewer.participant && { requester: personName(requester.participant) }),
    message: question.message,
    action,
    ...(askerLeftAt(elicitation) !== undefined && { left: askerLeftWords }),
    createdAt,
    expiresAt,
  }
}

/** What the page of a settled question shows; undefined while it is open. `late`: it was settled before this answer. */
export function settledProps(elicitation: Elicitation, viewer: Person, came?: 'late'): SettledPageProps | undefined {
  const { origin, requester, question, purpose, state } = elicitation
  const status = statusOf(elicitation)
  if (status === 'pending') return undefined
  const about = approvalIn(elicitation)
  const message = about === undefined ? question.message : serverWords(elicitation, about)
  const approval = approvalEnd(elicitation, viewer)
  const byOther = state.kind === 'answered' && state.by.participant !== viewer.participant
  return {
    asked: { server: origin.server, client: clientText(namedClient(requester), 'label'), message },
    status,
    purpose,
    before: came === 'late' || byOther,
    ...('reason' in state && { reason: state.reason }),
    ...(approval && { approval }),
  }
}

/** Texts for the page that came with the question as metadata. */
export function labelsFrom<Name extends string>(
  { metadata }: Pick<Elicitation, 'metadata'>,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    return typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(found) as { readonly [Key in Name]?: string }
}
