import type { AskOutcome } from '../elicitation/answering/may-answer.ts'
import type { ElicitationState } from '../elicitation/elicitation.ts'

const ofAction = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

export function actionOutcome(action: 'accept' | 'decline' | 'cancel'): AskOutcome {
  return ofAction[action]
}

/** The time from asking to settling. Never negative, although two machines with different clocks may have done the two. */
export function waitedMs(createdAt: Date, state: ElicitationState): number {
  return state.kind === 'open' ? 0 : Math.max(0, state.at.getTime() - createdAt.getTime())
}
