import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'

/** Alice, who asks. */
export const alice = 'alice@https://login.example.com' as ParticipantId

/** Bob, who approves for others. */
export const bob = 'bob@https://login.example.com' as ParticipantId

/** A call of alice's agent; what a test is about is changed by the test. */
export function aCall(changed: Partial<ToolCall> = {}): ToolCall {
  return {
    requester: { participant: alice, client: 'claude-code' },
    server: 'files',
    tool: 'write_file',
    arguments: { path: '/tmp/notes.txt', content: 'hello' },
    definition: 'definition-1',
    serverDefinition: 'definitions-1',
    trusted: false,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path'],
    },
    ...changed,
  }
}
