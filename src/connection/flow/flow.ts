import type { Sealed } from '../../base/seal.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** An OAuth code flow of one person. It is used once, by the browser that began it. */
export interface Flow {
  /** The OAuth `state`; unguessable. */
  readonly id: string
  readonly participant: ParticipantId
  readonly provider: string
  /** The key that identifies the browser that began it. */
  readonly browser: string
  /** The question that it answers; absent if the person connects without being asked. */
  readonly elicitation?: ElicitationId
  readonly scopes: readonly string[]
  readonly redirectUri: string
  /** `ConsentSecrets` as JSON. */
  readonly sealed: Sealed
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The associated data of a flow's sealed secrets. */
export const flowIdentity = ({ id }: Pick<Flow, 'id'>) => `flow/${id}`
