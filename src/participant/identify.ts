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
}
