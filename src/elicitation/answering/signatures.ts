import type { JsonObject } from '../../base/json.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** What a person signed on a page, as their browser sent it: unchecked. */
export interface SignedBy {
  /** Names the one use of a passkey that this is. */
  readonly ceremony: string
  readonly assertion: unknown
}

/** What a browser needs so that a person signs their answer. */
export interface AnswerSigning {
  readonly ceremony: string
  /** For `navigator.credentials.get`, as JSON. */
  readonly request: JsonObject
}

/** Lets people sign their answers, and verifies what they signed. */
export interface Signatures {
  /** Undefined: the person has nothing to sign with. */
  begin(participant: ParticipantId, what: JsonObject): Promise<AnswerSigning | undefined>
  /** Whether this person signed exactly this; it counts once. `message` says why not, and what to do. */
  verify(
    participant: ParticipantId,
    what: JsonObject,
    signed: SignedBy,
  ): Promise<
    { readonly kind: 'verified'; readonly passkey: string } | { readonly kind: 'refused'; readonly message: string }
  >
}
