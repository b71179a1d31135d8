import type { Claimed, FinishedStep } from '../../call/step.ts'

/** One finished step as a SQL row. Before it is finished, `sealed_key` and `box` are null. */
export interface FinishedStepRow {
  walk: string
  name: string
  sealed_key: string
  box: string
}

/** The finished step of a row. */
export function fromStepRow({ walk, name, sealed_key, box }: FinishedStepRow): FinishedStep {
  return { key: { walkId: walk, name }, result: { key: sealed_key, box } }
}

/** The result of a claim that was not the first. A step that was deleted meanwhile still counts as begun. */
export function resultOfLostClaim(finished: FinishedStepRow | undefined): Claimed {
  return finished ? { kind: 'finished', result: fromStepRow(finished).result } : { kind: 'begun' }
}
