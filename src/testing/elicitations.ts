import { randomUUID } from 'node:crypto'
import type { Elicitation, ElicitationId, ElicitationState, KeptAnswer } from '../elicitation/elicitation.ts'
import type { OpenLimits } from '../elicitation/store.ts'
import type { ParticipantId } from '../participant/participant.ts'

export const alice = 'alice@https://login.example.com' as ParticipantId
export const bob = 'bob@https://login.example.com' as ParticipantId

/** An open question from alice's client to alice, with an id and identity of its own. */
export function anElicitation(over: Partial<Elicitation> = {}): Elicitation {
  const id = randomUUID() as ElicitationId
  return {
    id,
    version: 1,
    question: {
      mode: 'form',
      message: 'Which branch?',
      schema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch' } }, required: ['branch'] },
    },
    purpose: 'input',
    origin: { server: 'github' },
    requester: { participant: alice, client: 'claude-code' },
    answerers: { anyOf: [over.requester?.participant ?? alice], through: 'client' },
    identity: `identity of ${id}`,
    metadata: {},
    createdAt: new Date('2026-01-01T00:00:00.000Z'),
    expiresAt: new Date('2026-01-01T00:10:00.000Z'),
    state: { kind: 'open' },
    ...over,
  }
}

/** The next version of the question, in another state. */
export function withState(elicitation: Elicitation, state: ElicitationState): Elicitation {
  return { ...elicitation, version: elicitation.version + 1, state }
}

/** The next version of the question, answered by its requester. */
export function answered(
  elicitation: Elicitation,
  answer: KeptAnswer = { action: 'accept', content: { branch: 'main' } },
  at: Date = new Date('2026-01-01T00:01:00.000Z'),
): Elicitation {
  const by = { participant: elicitation.requester.participant, via: 'client', client: 'claude-code' } as const
  return withState(elicitation, { kind: 'answered', answer, by, at })
}

/** The same limit for a requester and for a participant. */
export function limitedTo(most: number): OpenLimits {
  return { requester: most, participant: most }
}
