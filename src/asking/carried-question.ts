import type { Purpose } from '../elicitation/elicitation.ts'
import type { RequestContext } from './context.ts'

/** A question without a kept record: it is carried by the client's sealed state, or by a request to the client. */
export interface CarriedQuestion {
  readonly key: string
  readonly mode: 'form' | 'url'
  readonly purpose: Purpose
}

/** Records that a carried question was asked, and tells whoever counts or logs questions. */
export async function recordAsked(context: RequestContext, { key, mode, purpose }: CarriedQuestion): Promise<void> {
  const { assent, name } = context
  await record(context, 'question-asked', { key, mode, server: name })
  assent.events.tell({ kind: 'carried-asked', server: name, mode, purpose })
}

/** Records how a carried question ended. `askedAt` is when it was asked, in milliseconds, if that is known. */
export async function recordAnswered(
  context: RequestContext,
  { key, mode, purpose }: CarriedQuestion,
  action: 'accept' | 'decline' | 'cancel',
  askedAt: number | undefined,
): Promise<void> {
  const { assent, name } = context
  await record(context, 'question-answered', { key, action })
  const waitedMs = askedAt === undefined ? undefined : Math.max(0, assent.clock.now().getTime() - askedAt)
  const event = { kind: 'carried-answered', server: name, mode, purpose, action } as const
  assent.events.tell({ ...event, ...(waitedMs !== undefined && { waitedMs }) })
}

async function record(
  { assent, call, walk }: RequestContext,
  kind: 'question-asked' | 'question-answered',
  data: Record<string, string>,
): Promise<void> {
  const { participant, client } = call.requester
  await assent.record({ kind, who: participant, about: walk.id, data: { ...data, client, via: 'client' } })
}
