/** What one check came to. */
export interface Finding {
  readonly check: string
  readonly status: 'good' | 'warning' | 'error' | 'skipped'
  /** What is so, and what to do about it. */
  readonly words: string
}

export const good = (check: string, words: string): Finding => ({ check, status: 'good', words })
export const warning = (check: string, words: string): Finding => ({ check, status: 'warning', words })
export const wrong = (check: string, words: string): Finding => ({ check, status: 'error', words })
export const skipped = (check: string, words: string): Finding => ({ check, status: 'skipped', words })
