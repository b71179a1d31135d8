import type { IssuedBy } from './connection.ts'
import type { Credential } from './credential/credential.ts'

/** An outside service at which people have accounts. */
export interface Provider {
  /** Its name in configuration, addresses and records. */
  readonly name: string
  /** Its name for people. */
  readonly title: string
  /** The host where people sign in, shown before they are sent there. */
  readonly host?: string
  /** The scopes that are asked for by default. */
  readonly scopes: readonly string[]
  /** How its credential is passed on in a request, or in the environment of a process. */
  readonly sending: Sending
  readonly by:
    | { readonly kind: 'consent'; readonly consent: Consent }
    | {
        readonly kind: 'key'
        readonly fieldLabel: string
        readonly placeholder?: string
        readonly description?: string
      }
}

/** The header `Authorization` gets `Bearer <secret>`, any other header the secret alone. */
export interface Sending {
  readonly header: string
  readonly env?: string
}

/** The tokens that a provider issued. Scopes are those that it named, or else those that were asked for. */
export interface Tokens {
  readonly credential: Extract<Credential, { kind: 'tokens' }>
  readonly scopes: readonly string[]
  readonly expiresAt?: Date
  /** The account's name at the provider, for people. */
  readonly account?: string
  /** There if the server was found by discovery. */
  readonly issuedBy?: IssuedBy
}

/** Needed again when the person returns; sealed in the flow meanwhile. */
export interface ConsentSecrets {
  readonly verifier: string
  readonly nonce: string
  /** The server that the person was sent to, if it was found by discovery. The code is given to no other. */
  readonly issuedBy?: IssuedBy
}

export interface ConsentRequest extends ConsentSecrets {
  /** The OAuth `state`: returns with the person and identifies the flow. */
  readonly state: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** How asking for consent at a provider ended. `message` is safe to show. */
export type Consented =
  | { readonly kind: 'granted'; readonly tokens: Tokens }
  | { readonly kind: 'denied' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

export type Refreshed =
  | { readonly kind: 'granted'; readonly tokens: Tokens }
  /** The provider rejected the refresh token, so the person must connect again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The provider could not be reached, or failed. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** The address to send a person to. */
export interface ConsentBegun {
  readonly kind: 'begun'
  readonly url: string
  /** What is asked for, where that is not what the request says. */
  readonly scopes?: readonly string[]
  /** Where the person comes back to, where that is not what the request says. */
  readonly redirectUri?: string
  readonly issuedBy?: IssuedBy
}

/** Where people sign in, as far as it can be found out now. `message` is safe to show. */
export type SignInPlace =
  | { readonly kind: 'found'; readonly issuer: string; readonly by: 'settings' | 'document' | 'registration' }
  | Extract<Consented, { kind: 'failed' }>

/** One OAuth provider. Refusals and failures of the provider are values; nothing throws for them. */
export interface Consent {
  /** The address to send the person to, or why there is none now. */
  begin(request: ConsentRequest): Promise<ConsentBegun | Extract<Consented, { kind: 'failed' }>>
  /** `callback` is the address that the provider sent the person back to, with its parameters. */
  complete(request: ConsentRequest, callback: URL): Promise<Consented>
  refresh(refreshToken: string, scopes: readonly string[], issuedBy?: IssuedBy): Promise<Refreshed>
  /** False if the provider cannot revoke it, or refused to. */
  revoke(credential: Extract<Credential, { kind: 'tokens' }>, issuedBy?: IssuedBy): Promise<boolean>
  /** Whether tokens that were issued by this server may be used. Left out: those of no server that was found by discovery. */
  accepts?(issuedBy: IssuedBy | undefined): boolean
  /** Finds the server by discovery. Undefined: the settings name it. */
  find?(): Promise<SignInPlace>
}
