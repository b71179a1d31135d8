/** How a trial ended, in a few words for the table, and what the model read or the screen showed. */
export interface Finding {
  readonly ok: boolean
  readonly words: string
  readonly read?: string
}
