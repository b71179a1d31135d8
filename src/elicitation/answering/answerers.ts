import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Proof, Via } from './proof.ts'
import type { SignedBy } from './signatures.ts'

/** One who may answer: a participant, or anyone in a group. */
export type Answerer = ParticipantId | `group:${string}`

/** Who may answer a question, and what proof their yes needs. */
export interface Answerers {
  /** Any one of these; never empty. */
  readonly anyOf: readonly Answerer[]
  /**
   * The least proof that a yes needs. `page`: a person we saw ourselves, on a page, in the inbox or at a terminal; the
   * client's word is not enough.
   */
  readonly through: Proof
  /** How many different people must say yes; absent: one. */
  readonly quorum?: number
  /** To whom one of them may hand their part on; `true`: to anybody; absent: to nobody. */
  readonly delegate?: readonly Answerer[] | true
  /** Who is asked too when it is still open after some time, soonest first. */
  readonly escalate?: readonly EscalationStep[]
}

/** Who may answer too, from so long after the question was asked. */
export interface EscalationStep {
  readonly afterMs: number
  readonly to: readonly Answerer[]
}

/** Someone about to answer, as verified by the channel they came through. */
export interface Answering extends Person {
  readonly via: Via
  /** Which client speaks, when `via` is `client`. */
  readonly client?: string
  /** What they signed with a passkey, when `via` is `passkey`. It is verified before it counts. */
  readonly signed?: SignedBy
  /**
   * The digest of what they were shown. Left out: what was asked for; then a yes to something that an approver has changed
   * since does not count.
   */
  readonly seen?: string
}
