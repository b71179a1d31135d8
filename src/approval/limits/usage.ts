/** Counts what limits of rules have let run. A store never reads the clock and never decides. */
export interface UsageStore {
  /**
   * Adds `amount` to what is used under a key, unless that would be more than `most`: in one step, whoever else does the
   * same. False: nothing was added. Remembered at least until `until`.
   */
  take(key: string, amount: number, most: number, until: Date): Promise<boolean>
  /** What is used under each of these keys; 0 where nothing is. */
  used(keys: readonly string[]): Promise<number[]>
  /** Takes back what was added for a call that was not sent. Never below 0. */
  giveBack(key: string, amount: number): Promise<void>
  /** Deletes counts whose `until` is before `moment`. Returns how many. */
  deleteUsage(moment: Date, limit: number): Promise<number>
}
