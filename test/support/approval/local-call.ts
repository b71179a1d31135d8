import { decide } from '../../../src/approval/policy/decide.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { Assent } from '../../../src/assent.ts'
import type { Elicitation } from '../../../src/index.ts'
import { localParticipant } from '../../../src/participant/participant.ts'

/** A call of the local person's agent. */
export function aLocalCall(changed: Partial<ToolCall> = {}): ToolCall {
  return {
    requester: { participant: localParticipant, client: 'claude-code', clientName: 'Claude Code' },
    server: 'files',
    tool: 'write_file',
    arguments: { path: '/tmp/notes.txt', content: 'hello' },
    definition: 'definition-1',
    serverDefinition: 'definitions-1',
    trusted: false,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 3 }, content: { type: 'string' } },
      required: ['path'],
    },
    ...changed,
  }
}

/** Puts a call to whoever may approve it, by the policy that holds. */
export async function askedAbout(assent: Assent, call = aLocalCall(), walkId = 'walk-1'): Promise<Elicitation> {
  const approval = await assent.approvals.approve({ call, walkId })
  if (approval.kind !== 'question') {
    throw new Error(`Nobody is asked: ${JSON.stringify({ approval, decided: decide(assent.approvals.policy, call) })}`)
  }
  return approval.elicitation
}
