import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** One who may answer: a participant, or anyone in a group. */
export type Answerer = ParticipantId | `group:${string}`

/** Who may answer a question, and what proof their yes needs. */
export interface Answerers {
  /** Any one of these; never empty. */
  readonly anyOf: readonly Answerer[]
  /** `page`: a yes needs a person we saw ourselves, on a page, in the inbox or at a terminal; the client's word is not enough. */
  readonly through: 'client' | 'page'
}

/** The way an answer came. `client` is the requester's own MCP client; on all other ways we verified the person ourselves. */
export type Via = 'client' | 'page' | 'inbox' | 'terminal' | 'hub'

/** Someone about to answer, as verified by the channel they came through. */
export interface Answering extends Person {
  readonly via: Via
  /** Which client speaks, when `via` is `client`. */
  readonly client?: string
}
