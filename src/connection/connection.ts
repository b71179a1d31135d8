import type { Sealed } from '../base/seal.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import type { ParticipantId } from '../participant/participant.ts'

/** One participant's account at one provider. */
export interface Connection {
  /** New with each consent: what belongs to an older one can never be saved over it. */
  readonly id: string
  /** 1 when made, one more with each save. */
  readonly version: number
  readonly participant: ParticipantId
  readonly provider: string
  /** In effect, as the provider said. Kept here and nowhere else. */
  readonly scopes: readonly string[]
  /** `doubted`: refused by the service, so it is renewed before it is used again. `refused`: the person must be asked. */
  readonly standing: 'good' | 'doubted' | 'refused'
  /** A `Credential` as JSON. */
  readonly sealed: Sealed
  /** When its access token ends; absent when nobody said, or for a key. */
  readonly expiresAt?: Date
  readonly renewable: boolean
  /** When the credential that is kept now was had, and how. */
  readonly obtained: { readonly at: Date; readonly by: 'consent' | 'refresh' | 'key' }
  /** Somebody renews it until then; others wait for what they get. */
  readonly refreshingUntil?: Date
  /** Whose account it is at the provider, as people read it. */
  readonly account?: string
  readonly connectedAt: Date
  /** The question that brought it. */
  readonly elicitation?: ElicitationId
}

/** What the sealed credential is bound to: sealed for one connection, it opens in no other. */
export function credentialIdentity({ participant, provider, id }: Pick<Connection, 'participant' | 'provider' | 'id'>) {
  return `connection/${participant}/${provider}/${id}`
}
