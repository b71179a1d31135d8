import type { Claimed, FinishedStep } from '../../call/step.ts'

/** One finished step as SQL keeps it; before, `sealed_key` and `box` are null. */
export interface FinishedStepRow {
  walk: string
  name: string
  sealed_key: string
  box: string
}

/** The finished step that was kept. */
export function fromStepRow({ walk, name, sealed_key, box }: FinishedStepRow): FinishedStep {
  return { key: { walkId: walk, name }, result: { key: sealed_key, box } }
}

/** How a claim ends that came second. A step deleted meanwhile was somebody's all the same. */
export function claimedBefore(finished: FinishedStepRow | undefined): Claimed {
  return finished ? { kind: 'finished', result: fromStepRow(finished).result } : { kind: 'begun' }
}
