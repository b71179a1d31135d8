import type { Sealed } from '../base/seal.ts'

/** Names a step of one walk, such as the call that a yes was for. */
export interface StepKey {
  readonly walkId: string
  readonly name: string
}

/** A step that ran, with what came of it. */
export interface FinishedStep {
  readonly key: StepKey
  readonly result: Sealed
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
  /** Finished ones with a result sealed under another key than `key`, in no promised order. */
  listSealedExcept(key: string, limit: number): Promise<FinishedStep[]>
  /** Puts `next` in the place of `previous`. False: that is not what is kept. */
  reseal(key: StepKey, previous: Sealed, next: Sealed): Promise<boolean>
  /** Every key that some kept result is sealed under. */
  sealingKeys(): Promise<string[]>
  /** Deletes steps whose `until` is before `moment`. Returns how many. */
  deleteSteps(moment: Date, limit: number): Promise<number>
}

/** The identity a sealed result is bound to: sealed for one step, it opens in no other. */
export function stepIdentity({ walkId, name }: StepKey): string {
  return `step/${walkId}/${name}`
}
