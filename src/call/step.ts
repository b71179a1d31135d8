import type { Sealed } from '../base/seal.ts'

/** Names a step of one walk, such as the call that a yes was for. */
export interface StepKey {
  readonly walkId: string
  readonly name: string
}

/** A step that ran, with its result. */
export interface FinishedStep {
  readonly key: StepKey
  readonly result: Sealed
}

/** How claiming a step ended. */
export type Claimed =
  /** The caller may run it, and nobody else ever may. */
  | { readonly kind: 'claimed' }
  /** It was claimed before: it is running, or its result is not known. */
  | { readonly kind: 'begun' }
  /** It ran, with this result. */
  | { readonly kind: 'finished'; readonly result: Sealed }

/** Remembers the steps of walks that must not run twice. */
export interface StepStore {
  /** Of many claims exactly one succeeds. It is remembered at least until the latest `until` of them all. */
  claim(key: StepKey, until: Date): Promise<Claimed>
  /** Keeps the result of a claimed step. False: it was not claimed, or is finished already. */
  finish(key: StepKey, result: Sealed): Promise<boolean>
  /** Finished ones with a result sealed under another key than `key`, in no promised order. */
  listSealedExcept(key: string, limit: number): Promise<FinishedStep[]>
  /** Replaces `previous` by `next`. False: something else is kept. */
  reseal(key: StepKey, previous: Sealed, next: Sealed): Promise<boolean>
  /** Every key that some kept result is sealed under. */
  sealingKeys(): Promise<string[]>
  /** Deletes steps whose `until` is before `moment`. Returns how many. */
  deleteSteps(moment: Date, limit: number): Promise<number>
}

const oneDay = 86_400_000

/**
 * Until when to remember a claim that guards something good until `moment`. A day longer, so that it counts once even if
 * it is claimed and deleted by clocks that are hours apart.
 */
export function rememberUntil(moment: Date): Date {
  return new Date(moment.getTime() + oneDay)
}

/** The identity a sealed result is bound to: sealed for one step, it opens in no other. */
export function stepIdentity({ walkId, name }: StepKey): string {
  return `step/${walkId}/${name}`
}
