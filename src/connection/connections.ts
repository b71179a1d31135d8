import type { Events } from '../base/events.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { Person } from '../participant/identify.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import type { Provider, Sending } from './provider.ts'

/** A credential that can be used now, opened for one use. */
export interface Ready {
  readonly kind: 'ready'
  readonly provider: string
  /** The access token, or the key. */
  readonly secret: string
  readonly sending: Sending
  readonly scopes: readonly string[]
  readonly account?: string
  /** The connection and version that the credential comes from, for `rejected`. */
  readonly connection: Pick<Connection, 'participant' | 'provider' | 'id' | 'version'>
}

/** Whether a participant's account can be used now. If not, `scopes` are those that a new consent must ask for. */
export type Access =
  | Ready
  | { readonly kind: 'missing'; readonly why: 'none' | 'refused' | 'scopes'; readonly scopes: readonly string[] }

/** A connection as shown to its owner, without its credential. */
export type ConnectionView = Pick<
  Connection,
  'provider' | 'scopes' | 'standing' | 'account' | 'connectedAt' | 'expiresAt' | 'issuedBy'
> & {
  readonly title: string
}

/** A person who wants to connect an account. */
export interface ConnectRequest {
  readonly provider: string
  readonly person: Person
  /** The key that identifies the person's browser. */
  readonly browser: string
  /** The question that this answers; absent if the person connects without being asked. */
  readonly elicitation?: ElicitationId
}

/** The address at the provider to send the person to, or why there is none. */
export type ConnectBegun =
  | { readonly kind: 'begun'; readonly url: string }
  /** The question had been settled already. */
  | { readonly kind: 'late'; readonly elicitation: Elicitation }
  /** The provider cannot be used now. The question, if there is one, failed with this message. */
  | { readonly kind: 'failed'; readonly message: string }

/** A person who was sent back by a provider. */
export interface ReturnFromProvider {
  readonly person: Person
  readonly browser: string
  /** The address that the provider sent the person back to. */
  readonly callback: URL
}

/** How connecting ended. The end has been recorded, and the question, if one was open, has been settled accordingly. */
export type Completed =
  | { readonly kind: 'connected'; readonly provider: Provider; readonly elicitation?: Elicitation }
  /** Connected, but with fewer scopes than were asked for, so the question counts as declined. */
  | {
      readonly kind: 'too-little'
      readonly provider: Provider
      readonly missing: readonly string[]
      readonly elicitation?: Elicitation
    }
  | { readonly kind: 'denied'; readonly provider: Provider; readonly elicitation?: Elicitation }
  | {
      readonly kind: 'failed'
      readonly provider: Provider
      readonly message: string
      readonly elicitation?: Elicitation
    }
  /** The question had been settled already, so nothing was kept. */
  | { readonly kind: 'late'; readonly elicitation: Elicitation }
  /** The flow belongs to another browser or person, has expired, or was used before. Nothing was kept or settled. */
  | { readonly kind: 'refused'; readonly why: Refused }

/** `other-server`: the address that the person came back to is that of another authorization server (a mix-up). */
type Refused = 'unknown-state' | 'expired' | 'other-browser' | 'other-person' | 'other-server'

/** How keeping a key ended. `invalid`: the text cannot be a key; nothing was kept, and the question is still open. */
export type KeyKept = Completed | { readonly kind: 'invalid'; readonly message: string }

/** An account was connected, disconnected, or rejected by its service. */
export interface AccountChanged {
  readonly participant: ParticipantId
  readonly provider: string
}

/** Accounts at outside services: connecting, using and disconnecting them. */
export interface Connections {
  readonly providers: ReadonlyMap<string, Provider>
  /** Changes that this process made. Changes by other processes that share the store are not reported. */
  readonly events: Events<AccountChanged>
  /** Where providers send people back to. Each server that was found by discovery has an address below it. */
  readonly callbackUrl: string
  /**
   * Renews a credential that is about to expire, once for all callers. Without `scopes`, those of the provider are
   * needed.
   */
  access(participant: ParticipantId, provider: string, scopes?: readonly string[]): Promise<Access>
  /** The service rejected the credential. The next `access` renews it, or says that the person must connect again. */
  rejected(ready: Ready): Promise<void>
  begin(request: ConnectRequest): Promise<ConnectBegun>
  complete(returning: ReturnFromProvider): Promise<Completed>
  /** Keeps a key that the person entered on our page. */
  keepKey(request: Omit<ConnectRequest, 'browser'>, key: string): Promise<KeyKept>
  list(participant: ParticipantId): Promise<ConnectionView[]>
  /** Deletes the connection, and revokes the credential at the provider if possible. Undefined if there was none. */
  disconnect(participant: ParticipantId, provider: string): Promise<{ readonly revokedThere: boolean } | undefined>
}
