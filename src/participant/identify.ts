import type { ParticipantId } from './participant.ts'
import type { Requester } from './requester.ts'

/** Someone whose identity was verified, with the groups their token or login names. */
export interface Person {
  participant: ParticipantId
  groups: readonly string[]
}

/** Tells who sent a request, by evidence that was verified. Undefined: nobody we know, and nothing may be done for them. */
export type Identify<Evidence> = (evidence: Evidence) => Promise<(Requester & Person) | undefined>
