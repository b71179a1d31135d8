import type { Answering, Ask, FormSchema, ParticipantId, Requester } from '../../src/index.ts'
import { alice, bob } from '../../src/testing/index.ts'

export { alice, bob }

export const branchForm: FormSchema = {
  type: 'object',
  properties: { branch: { type: 'string', title: 'Branch', maxLength: 40 } },
  required: ['branch'],
}

export const alicesClient: Requester = { participant: alice, client: 'claude-code', clientName: 'Claude Code' }

/** A plain question from the server "github" to alice. */
export function anAsk(over: Partial<Ask> = {}): Ask {
  return {
    question: { mode: 'form', message: 'Which branch?', schema: branchForm },
    origin: { server: 'github' },
    requester: alicesClient,
    ...over,
  }
}

/** A question for a key, to be answered on a page. */
export function aSecretAsk(over: Partial<Ask> = {}): Ask {
  return anAsk({
    question: { mode: 'url', message: 'Enter your Stripe API key', page: 'api-key' },
    purpose: 'secret',
    type: 'api-key-stripe',
    ...over,
  })
}

/** Someone on a page, seen by us. */
export function onPage(participant: ParticipantId, groups: readonly string[] = []): Answering {
  return { participant, groups, via: 'page' }
}

/** Alice's own client, which is the one that asked. */
export const throughClient: Answering = { participant: alice, groups: [], via: 'client', client: 'claude-code' }
