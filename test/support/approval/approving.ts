import { expect } from 'vitest'
import type { Approval, ApprovalRefused, Approved } from '../../../src/approval/approval.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import { type CallOutcome, type Entrance, walk } from '../../../src/call/walk.ts'
import type { Answering, Via } from '../../../src/elicitation/answering/answerers.ts'
import type { Answer, Elicitation, ElicitationId } from '../../../src/elicitation/elicitation.ts'
import type { Content } from '../../../src/elicitation/form/schema.ts'
import type { Assent } from '../../../src/index.ts'
import { onPage } from '../asks.ts'
import { aCall, alice } from './a-call.ts'

/** What a walk did: every call that was sent, as it was sent. */
export interface Upstream {
  readonly sent: ToolCall[]
  run(call: ToolCall, walk: string, question?: ElicitationId): Promise<CallOutcome<string, never>>
}

/** An upstream that does what it is told, behind this Assent. */
export function anUpstream({ approvals }: Pick<Assent, 'approvals'>): Upstream {
  const sent: ToolCall[] = []
  const entrance: Entrance<string, undefined, never> = {
    approvals,
    access: async () => ({ kind: 'ready', credential: undefined }) as const,
    send: async ({ call }: { readonly call: ToolCall }) => {
      sent.push(call)
      return { result: 'ran', outcome: 'done' } as const
    },
    finish: 'now',
  }
  return {
    sent,
    run: (call, id, question) =>
      walk<string, undefined, never>(entrance, { call, walkId: id, ...(question && { question }) }),
  }
}

/** The question that approving this call asks. */
export async function asks(
  { approvals }: Assent,
  call = aCall(),
  name = 'walk-1',
  question?: ElicitationId,
): Promise<Elicitation> {
  const approval = await approvals.approve({ call, walkId: name, ...(question && { question }) })
  if (approval.kind !== 'question') throw new Error(`It was to ask, and is ${JSON.stringify(approval)}.`)
  return approval.elicitation
}

/** Answers as alice on the page, unless told otherwise. */
export function say(
  assent: Assent,
  { id }: Elicitation,
  given: Answer | Content,
  answering: Answering = onPage(alice),
): ReturnType<Assent['answer']> {
  return assent.answer(id, answering, isAnswer(given) ? given : { action: 'accept', content: given })
}

function isAnswer(given: Answer | Content): given is Answer {
  return 'action' in given
}

/** Asks about a call and says yes, or whatever is given. */
export async function asksAnd(
  assent: Assent,
  given: Answer | Content = { choice: 'allow_once' },
  call = aCall(),
  answering: Answering = onPage(alice),
): Promise<Elicitation> {
  const asked = await asks(assent, call)
  expect(await say(assent, asked, given, answering)).toMatchObject({ kind: 'kept' })
  return asked
}

export function isApproved(approval: Approval): asserts approval is Approved {
  expect(approval).toMatchObject({ kind: 'approved' })
}

/** Someone by any way there is. */
export function by(participant: Answering['participant'], via: Via, groups: readonly string[] = []): Answering {
  return { participant, groups, via, ...(via === 'client' && { client: 'claude-code' }) }
}

export function refusal(status: ApprovalRefused['status'], reason: string, message: unknown = expect.any(String)) {
  return { kind: 'refused', status, reason, message }
}

interface Happened {
  readonly kind: string
  readonly about?: string
  readonly who?: string
  readonly data: Record<string, unknown>
  readonly kept?: { readonly value: unknown }
}

/** What the audit holds, oldest first, of these kinds. */
export async function audited(assent: Assent, ...kinds: readonly string[]): Promise<Happened[]> {
  const found: Happened[] = []
  for await (const line of assent.exportAudit()) {
    const { event } = JSON.parse(line) as { event?: Happened }
    if (event !== undefined && kinds.includes(event.kind)) found.push(event)
  }
  return found
}
