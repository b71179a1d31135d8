import type { ParticipantId } from './participant.ts'

/** Someone whose identity was verified, with the groups their token or login names. */
export interface Person {
  readonly participant: ParticipantId
  readonly groups: readonly string[]
}

/** What verified evidence says of the one who sent it. */
export interface Identified extends Person {
  /** The client that the evidence was given to. */
  readonly client: string
  readonly scopes: readonly string[]
  /** From when on the evidence no longer counts. */
  readonly expiresAt?: Date
}

/** Tells who sent a request, by evidence that was verified. Undefined: nobody we know, and nothing may be done for them. */
export type Identify<Evidence> = (evidence: Evidence) => Promise<Identified | undefined>

/** How this installation knows people: the tokens it takes, and from whom. */
export interface Login {
  readonly issuer: string
  /** Whom the tokens must be meant for: this installation. */
  readonly audience: string
  readonly byToken: Identify<string>
  /** Signs people in on our pages, at the same issuer; absent where that was not set up. */
  readonly onPages?: PageLogin
}

/** What names one signing in, and proves that the one who comes back is the one who left. */
export interface SigningIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

/** Someone who signed in on a page. Issuer and subject make the same participant as in their tokens. */
export interface SignedIn extends Person {
  /** For themselves to read. */
  readonly name?: string
}

/** Signs people in on pages. Failures are values with a plain message. */
export interface PageLogin {
  /** Where to send the person. */
  begin(
    signing: SigningIn,
  ): Promise<{ readonly kind: 'begun'; readonly url: string } | { readonly kind: 'failed'; readonly message: string }>
  /** `callback` is the address that the login sent them back to. */
  complete(
    signing: SigningIn,
    callback: URL,
  ): Promise<
    { readonly kind: 'signed-in'; readonly who: SignedIn } | { readonly kind: 'failed'; readonly message: string }
  >
}
