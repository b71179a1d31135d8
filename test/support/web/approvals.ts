import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { AssentOptions, Elicitation } from '../../../src/index.ts'
import { aCall, alice } from '../approval/a-call.ts'
import { loginPlace, type Place } from './places.ts'

/** Pages with a login, where one rule asks for every call. */
export async function approvalPlace(rule: object = {}, options: AssentOptions = {}): Promise<Place> {
  const policy = { rules: [{ decide: 'ask', ...rule }] } as unknown as NonNullable<AssentOptions['policy']>
  return loginPlace({}, { policy, ...options })
}

let walks = 0

/** A call of alice's agent that waits for a yes. */
export async function waitingCall({ assent }: Place, over: Partial<ToolCall> = {}): Promise<Elicitation> {
  const requester = { participant: alice, client: 'claude-code', clientName: 'Claude Code' }
  walks += 1
  const approval = await assent.approvals.approve({ call: aCall({ requester, ...over }), walkId: `walk-${walks}` })
  if (approval.kind !== 'question') throw new Error(`It was not asked: ${approval.kind}`)
  return approval.elicitation
}

/** Where it is answered. */
export const approvePath = ({ id }: Pick<Elicitation, 'id'>) => `/elicit/${id}/approve`

/** What the page of a plain approval posts for a yes. */
export const allowOnce = { answer: 'accept', 'field.choice': 'allow_once', 'field.reason': '', denial: '' }
