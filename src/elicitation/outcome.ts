import { saysNo } from './answering/may-answer.ts'
import type { Elicitation } from './elicitation.ts'

/** How a question ended, in the words of numbers and logs. */
export type AskOutcome = 'accepted' | 'declined' | 'cancelled' | 'expired' | 'failed' | 'withdrawn' | 'open'

const ofAction = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

/** A no to an approval is a no, also where a client's form sent it as an accepted choice. */
export function outcomeOf({ purpose, state }: Pick<Elicitation, 'purpose' | 'state'>): AskOutcome {
  if (state.kind !== 'answered') return state.kind
  const { answer } = state
  const isNo = purpose === 'approval' && 'content' in answer && saysNo(answer.content)
  return isNo ? 'declined' : actionOutcome(answer.action)
}

export function actionOutcome(action: 'accept' | 'decline' | 'cancel'): AskOutcome {
  return ofAction[action]
}
