import type { JsonObject } from '../base/json.ts'

/** An envelope that was accepted in a space, in the order of the space. */
export interface KeptEnvelope extends NewEnvelope {
  /** Its place in the space: later ones have a larger number, across restarts. */
  readonly seq: number
}

/** An envelope to keep. */
export interface NewEnvelope {
  readonly space: string
  readonly from: string
  /** As its sender named it; one sender uses a name once. */
  readonly id: string
  /** Whom it is for; empty: everybody in the space. */
  readonly to: readonly string[]
  readonly at: Date
  /** Digest of the envelope as it was sent, by which a copy is told from another envelope with the same id. */
  readonly digest: string
  /** The envelope as it is delivered. */
  readonly text: string
  /** `held`: it waits for a person's yes. `stopped`: it will not be delivered. */
  readonly state: 'sent' | 'held' | 'stopped'
  /** What is remembered of a request until it is answered; absent for anything else. */
  readonly open?: JsonObject
}

/** What goes with an envelope into the same write. */
export interface Appending {
  readonly envelope: NewEnvelope
  /** The request that this envelope answers, by its sender and id. Nothing is kept if it is open no longer. */
  readonly answers?: {
    readonly from: string
    readonly id: string
    /** It will not be delivered any more. */
    readonly stops?: boolean
  }
  /** Participants who get it at once and never say what they received: it will not be delivered to them again. */
  readonly handedTo?: readonly string[]
}

/** How keeping an envelope ended. */
export type Appended =
  | { readonly kind: 'added'; readonly seq: number }
  /** The sender used this id before, for the envelope with this digest. Nothing was kept. */
  | { readonly kind: 'known'; readonly digest: string; readonly state: NewEnvelope['state'] }
  /** The request that it answers was answered or stopped before. Nothing was kept. */
  | { readonly kind: 'answered' }

/** Keeps the envelopes of spaces. A store never reads the clock and never decides: callers judge what they get. */
export interface HubStore {
  /** Writes all of them or none, in this order. Whoever appends to the same space at the same time comes before or after. */
  append(batch: readonly Appending[]): Promise<Appended[]>
  /**
   * Changes a request while it is open. One that becomes `sent` gets the next number of its space, so that it comes after
   * everything that was delivered meanwhile. Returns its number, or undefined if no such request is open, or if it should
   * become `sent` and is: of several who release it, one does.
   */
  change(
    envelope: Pick<NewEnvelope, 'space' | 'from' | 'id'>,
    to: Partial<Pick<NewEnvelope, 'text' | 'state'>> & { readonly open?: JsonObject | null },
  ): Promise<number | undefined>
  /** Requests without an answer, oldest first. */
  listOpen(space: string, limit: number): Promise<KeptEnvelope[]>
  /** All that are not stopped, with a number above `after`, oldest first. */
  listSince(space: string, after: number, limit: number): Promise<KeptEnvelope[]>
  /** Sent ones that name this participant, with a number above `after`, oldest first. */
  listFor(space: string, participant: string, after: number, limit: number): Promise<KeptEnvelope[]>
  /** Sent ones, newest first, with a number below `before`. With `participant` only what is from them, for them or for everybody. */
  history(space: string, limit: number, before?: number, participant?: string): Promise<KeptEnvelope[]>
  /** The envelope with this sender and id. */
  get(space: string, from: string, id: string): Promise<KeptEnvelope | undefined>
  /** Up to which number each participant received what was for them. */
  received(space: string): Promise<Map<string, number>>
  /** Remembers that; a smaller number than the kept one changes nothing. */
  saveReceived(space: string, received: ReadonlyMap<string, number>): Promise<void>
  /** Deletes those from before `moment` that are not open. Returns how many. */
  deleteEnvelopes(space: string, moment: Date, limit: number): Promise<number>
}
