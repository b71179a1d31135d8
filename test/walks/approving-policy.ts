import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import { participantId } from '../../src/index.ts'

const issuer = 'https://login.example.com'

export const alice = participantId({ issuer, subject: 'alice' })
export const bob = participantId({ issuer, subject: 'bob' })

/** What the requester may approve, and what only bob may. */
export const policy: PolicySettings = {
  rules: [
    { tool: 'deploy', decide: 'ask' },
    { tool: 'pay', decide: 'ask', approvers: [bob] },
  ],
}
