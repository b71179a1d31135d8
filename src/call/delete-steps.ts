import type { StepStore } from './step.ts'

const page = 500

/** Deletes every step whose `until` is before `moment`. Returns how many. */
export async function deleteSteps(steps: Pick<StepStore, 'deleteSteps'>, moment: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await steps.deleteSteps(moment, page)
    deleted += some
    if (some < page) return deleted
  }
}
