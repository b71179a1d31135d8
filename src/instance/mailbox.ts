import type { Sealed } from '../base/seal.ts'

/** One word that an instance leaves for another. What it says is sealed: it may hold answers. */
export interface Mail {
  readonly id: string
  /** The instance that it is for. */
  readonly to: string
  readonly at: Date
  readonly content: Sealed
}

/** The rows by which instances leave word for each other. They never call each other. */
export interface MailboxStore {
  /** Keeps the mail, and wakes the one it is for. False: `most` already wait there, and nothing was kept. */
  put(mail: Mail, most: number): Promise<boolean>
  /**
   * Removes those of `read`, the ids of mail that was read, and returns the oldest of the rest in the order of putting. What is
   * returned stays until it is removed, so that a reply that is lost on its way loses no mail.
   */
  take(to: string, limit: number, read: readonly string[]): Promise<Mail[]>
  /** Calls `came` soon after mail was put there. May call without cause, and may miss one: poll as well. Returns how to stop. */
  watch(to: string, came: () => void): () => void
  /** Deletes mail that was put before `moment` and never taken. Returns how many. */
  deleteMail(moment: Date, limit: number): Promise<number>
}
