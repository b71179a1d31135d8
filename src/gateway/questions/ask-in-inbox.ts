import { formInInbox } from '../../asking/ask-question.ts'
import type { RequestContext } from '../../asking/context.ts'
import type { AskedForm } from '../../asking/form.ts'
import { pageAsk } from '../../asking/page.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { askInInbox } from '../../asking/waiting/inbox.ts'
import type { Json } from '../../base/json.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { AskReply } from '../upstream/upstream.ts'
import { type Opened, type Page, safePage } from './ask-open.ts'

/** Asks the requester in the inbox, while the upstream waits, because their client shows no forms. */
export async function fillInInbox(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
): Promise<AskReply> {
  const { assent, name } = context
  assent.events.tell({ kind: 'fallback', server: name, reason: 'upstream-form-in-inbox' })
  const { value } = await formInInbox(context, round, key, form, false)
  return { result: { action: 'accept', content: value as Json } }
}

/** Asks the requester in the inbox to open an upstream's page. Yes is consent to open it, as in a client. */
export async function openInInbox(context: RequestContext, round: Round, key: string, page: Page): Promise<Opened> {
  const { assent, name } = context
  const { message, url } = safePage(name, page, assent.limits)
  const ask = pageAsk({
    // The address is in the message too: not every channel shows a link.
    question: { mode: 'url', message: `${message}\n${url}`, page: 'confirm' },
    purpose: 'confirm',
    metadata: { title: `Go to ${new URL(url).host}?`, link: url, confirmLabel: 'I opened it', cancelLabel: 'No' },
  })
  assent.events.tell({ kind: 'fallback', server: name, reason: 'upstream-url-in-inbox' })
  try {
    await askInInbox(context, round, key, ask)
    return 'accept'
  } catch (error) {
    if (error instanceof AskRefused && error.status === 'declined') return 'decline'
    throw error
  }
}
