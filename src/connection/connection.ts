import type { Sealed } from '../base/seal.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import type { ParticipantId } from '../participant/participant.ts'

/** The authorization server that issued tokens, what they are for (RFC 8707), and the client that got them. */
export interface IssuedBy {
  readonly issuer: string
  readonly resource: string
  readonly clientId: string
}

/** One participant's account at one provider. */
export interface Connection {
  /** New with each consent, so that a late save for an older consent cannot overwrite this one. */
  readonly id: string
  /** 1 at first, one more with each save. */
  readonly version: number
  readonly participant: ParticipantId
  readonly provider: string
  /** The scopes in effect, as the provider said. Stored here and nowhere else. */
  readonly scopes: readonly string[]
  /**
   * `doubted`: the service rejected it, so it is renewed before the next use. `refused`: the person must connect again.
   */
  readonly standing: 'good' | 'doubted' | 'refused'
  /** A `Credential` as JSON. */
  readonly sealed: Sealed
  /** When its access token expires; absent if the provider did not say, and for a key. */
  readonly expiresAt?: Date
  readonly renewable: boolean
  /** When and how the present credential was obtained. */
  readonly obtained: { readonly at: Date; readonly by: 'consent' | 'refresh' | 'key' }
  /** A lease: until then one process renews the connection, and the others wait for its result. */
  readonly refreshingUntil?: Date
  /** The account's name at the provider, for people. */
  readonly account?: string
  /** Where the tokens came from, if the server was found by discovery. They are used for nothing else. */
  readonly issuedBy?: IssuedBy
  readonly connectedAt: Date
  /** The question by which it was connected. */
  readonly elicitation?: ElicitationId
}

/** The associated data of the sealed credential, so that it can be opened for this connection only. */
export function credentialIdentity({ participant, provider, id, issuedBy }: ConnectionKey) {
  const known = `connection/${participant}/${provider}/${id}`
  return issuedBy === undefined ? known : `${known}/${JSON.stringify([issuedBy.issuer, issuedBy.resource])}`
}

/** What a sealed credential is bound to. */
export type ConnectionKey = Pick<Connection, 'participant' | 'provider' | 'id' | 'issuedBy'>
