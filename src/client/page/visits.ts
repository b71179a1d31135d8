import type { CallRefused } from '../refused.ts'

/** How a page ended: the server says so, or only the person does. */
export type Ended = 'completed' | 'said'

/** What came of a page, for every call that needed it. */
export type Outcome =
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'refused'; readonly error: CallRefused }
  /** Nothing: the call that opened it is gone. */
  | { readonly kind: 'dropped' }

/** Pages that somebody is on. Calls that need the same page share it. */
export type VisitsUnderWay = Map<string, Promise<Outcome>>
