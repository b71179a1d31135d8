import type { Browser } from '../../participant/browser.ts'
import type { Person } from '../../participant/identify.ts'

/** Someone we know, in the browser they came with. */
export interface Viewer extends Person {
  /** What the browser showed: nobody else has it, so what is derived from it proves this browser. */
  readonly cookie: string
  /** Its digest, which the browser is known by. */
  readonly key: string
  /** Absent for someone whom a proxy vouches for with each request. */
  readonly browser?: Browser
}
