import type { Sealed } from '../base/seal.ts'

/** Which instance holds the session of one client with one 2025 upstream: its HTTP session, or its process. */
export interface Holding {
  /** A digest of the upstream and of the client. */
  readonly key: string
  /** The instance that holds it. Others reach the session through its mailbox. */
  readonly holder: string
  /** With what another instance can go on with the session when its holder is gone. Left out: with nothing. */
  readonly resume?: Sealed
  readonly version: number
  /** After this moment the row may go. */
  readonly expiresAt: Date
}

/** Keeps who holds which session with an upstream. */
export interface HoldingStore {
  get(key: string): Promise<Holding | undefined>
  /** Saves `next` only where the kept version is the one before it, or, for version 1, where none is kept. False: somebody else was first. */
  saveIfUnchanged(next: Holding): Promise<boolean>
  /** Deletes those that expired before `moment`. Returns how many. */
  deleteExpired(moment: Date, limit: number): Promise<number>
}
