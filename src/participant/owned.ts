import type { ParticipantId } from './participant.ts'

/** Something that speaks for one participant, or reaches them, and is found by a key that nobody else has. */
export interface Owned {
  /** For lists and for removing; opens nothing. */
  readonly id: string
  /** A digest; what it is a digest of is not kept. */
  readonly key: string
  readonly participant: ParticipantId
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Keeps records of one kind. A store never reads the clock and never decides: callers judge whether one is over. */
export interface OwnedStore<One extends Owned> {
  /** False: one with this id or this key is kept already, whosever it is, and stays as it is. */
  add(one: One): Promise<boolean>
  getByKey(key: string): Promise<One | undefined>
  /** Oldest first. */
  list(participant: ParticipantId): Promise<One[]>
  /** Those of all participants, oldest first. `after`: the last id of the page before. */
  listAll(limit: number, after?: string): Promise<One[]>
  /** False: this participant has no such record. */
  remove(participant: ParticipantId, id: string): Promise<boolean>
  /** Deletes those with `expiresAt` before `moment`. Returns how many. */
  deleteOver(moment: Date, limit: number): Promise<number>
  /** Deletes all of this participant. */
  forget(participant: ParticipantId): Promise<number>
}

/** What a program may do with a token. */
export const apiRights = ['status', 'list', 'answer', 'answer-own'] as const
export type ApiRight = (typeof apiRights)[number]

/** Lets a program act for a person, within narrow rights. */
export interface ApiToken extends Owned {
  /** For its person to tell their programs apart. */
  readonly name: string
  readonly rights: readonly ApiRight[]
}

/** A browser that is told of questions by the push service of its maker. */
export interface PushSubscription extends Owned {
  /** The enrolled browser that it belongs to, where there is one. */
  readonly browser?: string
  /** For its person to tell their browsers apart. */
  readonly name: string
  /** Address and keys, sealed. */
  readonly sealed: string
}
