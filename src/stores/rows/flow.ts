import type { Flow } from '../../connection/flow/flow.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, type Whole } from './values.ts'

/** One flow as SQL keeps it. What nobody searches by is JSON in `details`. */
export interface FlowRow<Ms = Whole> {
  id: string
  participant: string
  expires_at: Ms
  sealed_key: string
  box: string
  details: string
}

interface Details extends Pick<Flow, 'provider' | 'browser' | 'elicitation' | 'scopes' | 'redirectUri'> {
  createdAt: number
}

export const flowColumns = ['id', 'participant', 'expires_at', 'sealed_key', 'box', 'details'] as const

/** `fromFlowRow` gives back what was put in, but for keys that were undefined: those come back absent. */
export function toFlowRow({ id, participant, expiresAt, sealed, createdAt, ...begun }: Flow): FlowRow<number> {
  const details: Details = { ...begun, createdAt: createdAt.getTime() }
  return {
    id,
    participant,
    expires_at: expiresAt.getTime(),
    sealed_key: sealed.key,
    box: sealed.box,
    details: JSON.stringify(details),
  }
}

/** The flow that was kept. */
export function fromFlowRow({ id, participant, expires_at, sealed_key, box, details }: FlowRow): Flow {
  const { createdAt, ...begun }: Details = JSON.parse(details)
  return {
    id,
    participant: participant as ParticipantId,
    ...begun,
    sealed: { key: sealed_key, box },
    createdAt: fromMs(createdAt),
    expiresAt: fromMs(expires_at),
  }
}
