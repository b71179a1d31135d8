import type { Sealed } from '../base/seal.ts'

/** Names a step of one walk, such as the call that a yes was for. */
export interface StepKey {
  readonly walk: string
  readonly name: string
}

/** How claiming a step ended. */
export type Claimed =
  /** It is the caller's to run, and nobody else's ever. */
  | { readonly kind: 'claimed' }
  /** Somebody claimed it before: it runs now, or ran and nobody knows how it ended. */
  | { readonly kind: 'begun' }
  /** It ran, and this is what came of it. */
  | { readonly kind: 'finished'; readonly result: Sealed }

/** Remembers the steps of walks that must not run twice. */
export interface StepStore {
  /** Of many who claim at once exactly one gets it. `until` says how long it is worth remembering. */
  claim(key: StepKey, until: Date): Promise<Claimed>
  /** Keeps what came of a claimed step. False: it was not claimed, or is finished already. */
  finish(key: StepKey, result: Sealed): Promise<boolean>
  /** Deletes steps whose `until` is before `moment`. Returns how many. */
  deleteSteps(moment: Date, limit: number): Promise<number>
}
