import type { ParticipantId } from '../participant/participant.ts'
import type { Answerer } from './answering/answerers.ts'
import type { Elicitation, ElicitationId } from './elicitation.ts'

/** How keeping a new question ended. */
export type Added =
  | { readonly kind: 'added' }
  /** An open question of the same identity was there already: this one, and nothing new was kept. */
  | { readonly kind: 'joined'; readonly elicitation: Elicitation }
  /** The requester, or its participant with all requesters together, has as many questions open as they may. */
  | { readonly kind: 'full'; readonly of: keyof OpenLimits }

/** How many questions may be open at once. */
export interface OpenLimits {
  /** Of one requester. */
  readonly requester: number
  /** Of all requesters of the participant together. */
  readonly participant: number
}

/** Who has open questions, page by page. */
export interface OpenRequesters {
  /** How many questions are open, of all requesters. */
  readonly total: number
  readonly requesters: readonly OpenOfRequester[]
}

/** The open questions of one requester. */
export interface OpenOfRequester {
  /** `requesterKey`. */
  readonly requester: string
  readonly count: number
  /** The most urgent one, and of those the newest. */
  readonly first: Elicitation
}

/** Keeps elicitations. A store never reads the clock and never decides: callers judge what they get. */
export interface ElicitationStore {
  /** Two open questions of one identity are never both kept, however many ask at once. */
  add(elicitation: Elicitation, limits: OpenLimits): Promise<Added>
  get(id: ElicitationId): Promise<Elicitation | undefined>
  /** Saves `state` and `voting` of `next` only where the kept version is the one before it. False: someone else was first. */
  saveIfUnchanged(next: Elicitation): Promise<boolean>
  /**
   * Open ones that one of `answerers` was asked, at first or later, each once, most urgent first: by priority, then the one
   * that expires soonest, then the one that was asked first. Give the last id of one page as `after` to get the next, also
   * when that question was settled meanwhile.
   */
  listOpen(answerers: readonly Answerer[], limit: number, after?: ElicitationId): Promise<Elicitation[]>
  /**
   * How many that is by requester, without those whose `expiresAt` is at or before `moment`; the requester with the most
   * urgent question comes first, then the one that asked last. Give the id of the last `first` of one page as `after` to
   * get the next, also when it was settled meanwhile.
   */
  listRequesters(
    answerers: readonly Answerer[],
    moment: Date,
    limit: number,
    after?: ElicitationId,
  ): Promise<OpenRequesters>
  /** Those of one requester, by `requesterKey`, of which the same is left out. By priority, then the newest first, in pages as above. */
  listOpenOf(
    answerers: readonly Answerer[],
    requester: string,
    moment: Date,
    limit: number,
    after?: ElicitationId,
  ): Promise<Elicitation[]>
  /** The open ones of everybody, the one that expires soonest first, in pages as above. */
  listAllOpen(limit: number, after?: ElicitationId): Promise<Elicitation[]>
  /** Open ones with `expiresAt` at or before `moment`, soonest first. */
  listDue(moment: Date, limit: number): Promise<Elicitation[]>
  /** Open ones that others are to be asked too at or before `moment`, soonest first. */
  listEscalating(moment: Date, limit: number): Promise<Elicitation[]>
  /** The one answered last (accepted, declined or cancelled), in the order of settling; what is still open hides nothing. */
  latestAnswered(participant: ParticipantId, type: string): Promise<Elicitation | undefined>
  /** Those with an answer sealed under another key than `key`, in no promised order. */
  listSealedExcept(key: string, limit: number): Promise<Elicitation[]>
  /** Every key that some kept answer is sealed under. */
  sealingKeys(): Promise<string[]>
  /** Deletes ones settled before `moment`, but never one that `latestAnswered` would give. Returns how many. */
  deleteSettled(moment: Date, limit: number): Promise<number>
  /** Deletes all that was asked for this participant, and their name from what they answered for others. Returns how many were deleted. */
  forget(participant: ParticipantId): Promise<number>
}

/** Wakes those who wait for an answer. */
export interface Changes {
  /**
   * Calls `changed` after the elicitation was saved, by this process or another. May call without cause; never fails to
   * call for good that it was settled: what was missed while a connection was down is found when it is back. Returns how to
   * stop.
   */
  watch(id: ElicitationId, changed: () => void): () => void
}
