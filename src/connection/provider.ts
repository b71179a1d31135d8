import type { Credential } from './credential/credential.ts'

/** An outside service that people have accounts at. */
export interface Provider {
  /** Names it in config, urls and records. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** The host where people sign in to it, so that they know where they are about to go. */
  readonly host?: string
  /** What is asked for when nobody says more. */
  readonly scopes: readonly string[]
  /** Where its credential goes in a request, or in the environment of a process. */
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

/** The header named Authorization gets `Bearer <secret>`, any other the bare secret. */
export interface Sending {
  readonly header: string
  readonly env?: string
}

/** What a provider gave. Scopes are those in effect: what it said, or else what was asked for. */
export interface Tokens {
  readonly credential: Extract<Credential, { kind: 'tokens' }>
  readonly scopes: readonly string[]
  readonly expiresAt?: Date
  /** Whose account it is there, as people read it. */
  readonly account?: string
}

/** What must be known again when the person comes back; kept sealed meanwhile. */
export interface ConsentSecrets {
  readonly verifier: string
  readonly nonce: string
}

export interface ConsentRequest extends ConsentSecrets {
  /** Comes back with the person, and names the flow. */
  readonly state: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** How a visit at a provider ended. `message` is plain, and safe to show. */
export type Consented =
  | { readonly kind: 'granted'; readonly tokens: Tokens }
  | { readonly kind: 'denied' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

export type Refreshed =
  | { readonly kind: 'granted'; readonly tokens: Tokens }
  /** The provider no longer takes the refresh token: the person must be asked. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody knows: the provider could not be reached, or answered with an error of its own. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Speaks with one OAuth provider. Nothing here throws for what a provider may well do. */
export interface Consent {
  /** Where to send the person, or why nobody can be sent anywhere now. */
  begin(
    request: ConsentRequest,
  ): Promise<{ readonly kind: 'begun'; readonly url: string } | Extract<Consented, { kind: 'failed' }>>
  /** `callback` is the address that the provider sent the person back to, with all that it added. */
  complete(request: ConsentRequest, callback: URL): Promise<Consented>
  refresh(refreshToken: string, scopes: readonly string[]): Promise<Refreshed>
  /** False: the provider cannot be told, or did not take it. */
  revoke(credential: Extract<Credential, { kind: 'tokens' }>): Promise<boolean>
}
