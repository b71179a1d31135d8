import type { Flow } from '../../connection/flow/flow.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** One flow as a SQL row. Fields that no query needs are JSON in `details`. */
export interface FlowRow<Ms = IntegerValue> {
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

/** The inverse of `fromFlowRow`, except that undefined fields become absent. */
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

/** The flow of a row. */
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
