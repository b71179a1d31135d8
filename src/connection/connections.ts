import type { Events } from '../base/events.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { Person } from '../participant/identify.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import type { Provider, Sending } from './provider.ts'

/** A credential that is good now, opened for one use. */
export interface Ready {
  readonly kind: 'ready'
  readonly provider: string
  /** The access token, or the key. */
  readonly secret: string
  readonly sending: Sending
  readonly scopes: readonly string[]
  readonly account?: string
  /** Which credential this is, so that it can be told when a service does not take it. */
  readonly of: Pick<Connection, 'participant' | 'provider' | 'id' | 'version'>
}

/** Whether a participant's account can be used now. `scopes` are all that a new consent must ask for. */
export type Access =
  | Ready
  | { readonly kind: 'missing'; readonly why: 'none' | 'refused' | 'scopes'; readonly scopes: readonly string[] }

/** A connection as its owner may see it: nothing of its credential. */
export type ConnectionView = Pick<
  Connection,
  'provider' | 'scopes' | 'standing' | 'account' | 'connectedAt' | 'expiresAt'
> & {
  readonly title: string
}

export interface Beginning {
  readonly provider: string
  readonly person: Person
  /** The key that the person's browser is known by. */
  readonly browser: string
  /** The question it answers; left out when the person comes by themselves. */
  readonly elicitation?: ElicitationId
}

export type Begun =
  | { readonly kind: 'begun'; readonly url: string }
  /** The question was settled before. */
  | { readonly kind: 'late'; readonly elicitation: Elicitation }
  /** The provider cannot be used now; the question, if there is one, has failed with this message. */
  | { readonly kind: 'failed'; readonly message: string }

export interface Returning {
  readonly person: Person
  readonly browser: string
  /** The address that the provider sent the person back to. */
  readonly callback: URL
}

/** How connecting ended. Each was recorded, and the question, if there is one and it was open, is settled as it says. */
export type Completed =
  | { readonly kind: 'connected'; readonly provider: Provider; readonly elicitation?: Elicitation }
  /** Connected, but with less than was asked for: the question counts as declined. */
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
  /** The question was settled before, so nothing was kept. */
  | { readonly kind: 'late'; readonly elicitation: Elicitation }
  /** Not a flow of this browser and person, or over, or used before. Nothing was kept, and no question was touched. */
  | { readonly kind: 'refused'; readonly why: 'unknown-state' | 'expired' | 'other-browser' | 'other-person' }

/** How keeping a key ended. Invalid: it cannot be a key; the question is still open, and nothing was kept. */
export type KeyKept = Completed | { readonly kind: 'invalid'; readonly message: string }

/** An account was connected, given up, or not taken. */
export interface AccountChanged {
  readonly participant: ParticipantId
  readonly provider: string
}

/** Accounts at outside services: having them, using them, giving them up. */
export interface Connections {
  readonly providers: ReadonlyMap<string, Provider>
  /** What happened to accounts in this process; others that share the store do not tell. */
  readonly events: Events<AccountChanged>
  /** Renews what is about to end, unseen and once for all who ask. `scopes` left out: the provider's own. */
  access(participant: ParticipantId, provider: string, scopes?: readonly string[]): Promise<Access>
  /** The service did not take the credential. The next `access` renews it, or says that the person must be asked. */
  rejected(ready: Ready): Promise<void>
  begin(beginning: Beginning): Promise<Begun>
  complete(returning: Returning): Promise<Completed>
  /** Keeps a key that the person gave on our page. */
  keepKey(beginning: Omit<Beginning, 'browser'>, key: string): Promise<KeyKept>
  list(participant: ParticipantId): Promise<ConnectionView[]>
  /** Gives the account up: here at once, and at the provider if it can be told. Undefined: there was none. */
  disconnect(participant: ParticipantId, provider: string): Promise<{ readonly revokedThere: boolean } | undefined>
}
