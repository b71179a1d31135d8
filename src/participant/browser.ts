import type { Person } from './identify.ts'
import type { ParticipantId } from './participant.ts'

/** A browser that showed once whose it is, and is known by its cookie since. */
export interface Browser extends Person {
  /** For lists and for revoking; opens nothing. */
  readonly id: string
  /** Digest of the cookie's value; the value itself is kept nowhere but in the browser. */
  readonly key: string
  /** How it showed whose it is: by a one-time link, or by a login. */
  readonly by: 'link' | 'login'
  /** For people to tell their browsers apart, such as "Firefox on Linux". */
  readonly name: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Keeps browsers. A store never reads the clock and never decides: callers judge whether one is over. */
export interface BrowserStore {
  /** Of two with one id or one key only the first is kept; the second is an error. */
  add(browser: Browser): Promise<void>
  getByKey(key: string): Promise<Browser | undefined>
  /** Oldest first. */
  list(participant: ParticipantId): Promise<Browser[]>
  /** Those of everybody that were added last, newest first. */
  listLatest(limit: number): Promise<Browser[]>
  /** False: this participant has no such browser. */
  remove(participant: ParticipantId, id: string): Promise<boolean>
  /** Deletes those with `expiresAt` before `moment`. Returns how many. */
  deleteOver(moment: Date, limit: number): Promise<number>
  /** Deletes all of this participant. */
  forget(participant: ParticipantId): Promise<number>
}
