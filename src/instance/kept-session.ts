/** What is kept of a 2025 session besides its id, which holds everything that never changes. */
export interface KeptSession {
  /** A digest of the session's id, which opens the session and is never kept. */
  readonly key: string
  /** Its client ended it. It stays ended. */
  readonly isRevoked: boolean
  /** The log level that its client asked for. */
  readonly level?: string
  /** The instance that holds the stream on which the client hears what belongs to no request. */
  readonly stream?: string
  /** After this moment its id opens nothing, and the row may go. */
  readonly expiresAt: Date
}

/** What a session became. What is left out stays as it was. */
export type SessionChange = Pick<KeptSession, 'key' | 'expiresAt' | 'level' | 'stream'> & { readonly isRevoked?: true }

/** Keeps what changes in 2025 sessions after they began. Most sessions have no row. */
export interface KeptSessionStore {
  get(key: string): Promise<KeptSession | undefined>
  /** Writes what is given over what is kept, and makes the row if there is none. Nothing makes a revoked session usable. */
  save(change: SessionChange): Promise<void>
  /** Deletes those that expired before `moment`. Returns how many. */
  deleteExpired(moment: Date, limit: number): Promise<number>
}
