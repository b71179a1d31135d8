import type { Browser } from '../../participant/browser.ts'
import type { Person } from '../../participant/identify.ts'

/** A person who is known, and the browser they use. */
export interface Viewer extends Person {
  /** The value of the browser's cookie. Only this browser has it, so what is derived from it identifies the browser. */
  readonly cookie: string
  /** The digest of the cookie, by which the browser is stored. */
  readonly key: string
  /** Absent where a proxy names the person with each request. */
  readonly browser?: Browser
}
