import { digest } from '../base/canonical.ts'
import type { JsonObject } from '../base/json.ts'
import type { Answering } from '../elicitation/answering/answerers.ts'
import type { AskedQuestion } from '../elicitation/asking/request.ts'
import type { ElicitationId, Purpose, Question } from '../elicitation/elicitation.ts'
import type { RequestContext } from './context.ts'
import type { CallQuestion } from './waiting/same-call.ts'

/** A question that is answered on a page. */
export interface PageAsk {
  readonly question: Extract<AskedQuestion, { mode: 'url' }>
  readonly purpose: Purpose
  readonly type?: string
  readonly metadata: JsonObject
  readonly fingerprint: string
}

export function pageAsk(ask: Omit<PageAsk, 'fingerprint'>): PageAsk {
  const { question, purpose, type, metadata } = ask
  return { ...ask, fingerprint: digest({ question, purpose, type, metadata }) }
}

/** Keeps the question. Asked again about the same thing, it returns the one that is open. */
export async function openPage(
  { assent, call, name, clocks, attend }: RequestContext,
  { about, type }: Pick<CallQuestion, 'about'> & { readonly type?: string },
  { question, purpose, metadata }: PageAsk,
): Promise<{ id: ElicitationId; question: Extract<Question, { mode: 'url' }> }> {
  const { elicitation } = await assent.ask({
    question,
    purpose,
    ...(type !== undefined && { type }),
    origin: { server: name },
    requester: call.requester,
    about,
    metadata,
    expiresInMs: clocks.question,
  })
  attend(elicitation.id)
  if (elicitation.question.mode !== 'url') throw new TypeError('A page is asked for by url.')
  return { id: elicitation.id, question: elicitation.question }
}

/** The requester, answering through their own client. */
export function clientOf({ call, person }: RequestContext): Answering {
  return { participant: person.participant, groups: person.groups, via: 'client', client: call.requester.client }
}
