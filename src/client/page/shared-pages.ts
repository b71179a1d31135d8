import type { CallRefused } from '../call-refused.ts'

/** How a page ended: the server says that it is completed, or only the person reports that they are done. */
export type PageEnd = 'completed' | 'reported-done'

/** How a page ended, for every call that needs it. */
export type PageOutcome =
  | { readonly kind: 'ended'; readonly ended: PageEnd }
  | { readonly kind: 'refused'; readonly error: CallRefused }
  /** The call that opened the page was cancelled or timed out, so another call may open it. */
  | { readonly kind: 'abandoned' }

/** Pages that are open, by elicitation id. Calls that need the same page share it. */
export type SharedPages = Map<string, Promise<PageOutcome>>
