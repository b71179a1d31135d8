/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: 'good' | 'warning' | 'error' | 'skipped'
  /** What was found, and how to fix it. */
  readonly words: string
}

export const good = (check: string, words: string): Finding => ({ check, status: 'good', words })
export const warning = (check: string, words: string): Finding => ({ check, status: 'warning', words })
export const wrong = (check: string, words: string): Finding => ({ check, status: 'error', words })
export const skipped = (check: string, words: string): Finding => ({ check, status: 'skipped', words })
