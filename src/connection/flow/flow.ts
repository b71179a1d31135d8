import type { Sealed } from '../../base/seal.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** A person on their way to a provider and back. Used once, by the browser that began it. */
export interface Flow {
  /** The `state` that travels; unguessable. */
  readonly id: string
  readonly participant: ParticipantId
  readonly provider: string
  /** The browser that began it, by the key it is known by. */
  readonly browser: string
  /** The question it answers; absent when the person came by themselves. */
  readonly elicitation?: ElicitationId
  readonly scopes: readonly string[]
  readonly redirectUri: string
  /** `ConsentSecrets` as JSON. */
  readonly sealed: Sealed
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** What a flow's secrets are bound to. */
export const flowIdentity = ({ id }: Pick<Flow, 'id'>) => `flow/${id}`
