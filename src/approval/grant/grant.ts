import type { Answerer, Proof } from '../../elicitation/answering/answerers.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Where } from './where/where.ts'

/** Names one grant. Made of the question it came from, so that making it twice is harmless. */
export type GrantId = string & { readonly __grant: true }

/** A grant of these covers every call of everybody: one that pauses all. */
export const everybody = '*' as ParticipantId
export const everyServer = '*'

/** What a person's yes, or no, lastingly means: who may call what, within which limits, until when, or once. */
export interface Grant {
  readonly id: GrantId
  /** 1 when made, one more with each save. */
  readonly version: number
  readonly effect: 'allow' | 'deny'
  /** Whose calls it covers. */
  readonly participant: ParticipantId
  /** Which of their clients; absent: all of them. */
  readonly client?: string
  /** The agents that a lasting yes was given for, exactly these, outermost first; absent: it covers no agents. */
  readonly agents?: readonly string[]
  readonly server: string
  /** Absent: every tool of the server. */
  readonly tool?: string
  /** For which arguments; absent: for all. */
  readonly where?: Where
  /** Digest of the definition it was given for: the tool's, or of all tools of the server. Changed, an allow is suspended. */
  readonly definition?: string
  readonly uses: GrantUses
  /** Who said it. */
  readonly grantedBy: ParticipantId
  /** What their word counted as; absent: their own, through a client. */
  readonly given?: GivenAs
  readonly elicitation?: ElicitationId
  readonly createdAt: Date
  /** Absent: until it is revoked. */
  readonly expiresAt?: Date
  readonly revoked?: { readonly at: Date; readonly by: ParticipantId }
}

/** A lasting yes counts only where today's policy would still take it from the one who gave it, given the way it was. */
export interface GivenAs {
  /** The name by which the policy let them answer: their own, or a group. */
  readonly as: Answerer
  readonly through: Proof
  /** The digest of the rule that let them answer; of a yes for one call only. */
  readonly rule?: string
}

/** `once`: for one call alone, known by its digest, and spent when that call starts. */
export type GrantUses =
  | { readonly kind: 'many' }
  | { readonly kind: 'once'; readonly requester: string; readonly call: string; readonly spent?: Spent }

export interface Spent {
  readonly at: Date
  /** The walk that spent it. */
  readonly walk: string
  /** Absent while the call runs, or when nobody knows how it ended. */
  readonly outcome?: 'done' | 'failed'
}
