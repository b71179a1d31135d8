import { answerIdentity } from './answering/answer-identity.ts'
import type { Desk } from './desk.ts'
import type { Elicitation } from './elicitation.ts'
import type { Content } from './form/schema.ts'

/** What came of a question, for the one who asked it. */
export interface ElicitationResult {
  /** The person accepted. */
  readonly success: boolean
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly data?: Content
  readonly completedAt: Date
}

/** How a question stands, in the words that clients and pages are told. */
export type ElicitationStatus = 'pending' | 'complete' | 'declined' | 'cancelled' | 'expired' | 'failed'

/** The result of an answered question, a secret opened; undefined while nobody has answered. */
export async function resultOf(
  { vault }: Pick<Desk, 'vault'>,
  elicitation: Elicitation,
): Promise<ElicitationResult | undefined> {
  const { state } = elicitation
  if (state.kind !== 'answered') return undefined
  const { action } = state.answer
  const result = { success: action === 'accept', action, completedAt: state.at }
  if ('sealed' in state.answer) {
    const content = await vault.open(state.answer.sealed, answerIdentity(elicitation))
    return { ...result, data: JSON.parse(content) as Content }
  }
  return 'content' in state.answer && state.answer.content ? { ...result, data: state.answer.content } : result
}

/** A question taken back counts as cancelled: nobody answered it, and nobody can. */
export function statusOf({ state }: Elicitation): ElicitationStatus {
  switch (state.kind) {
    case 'open':
      return 'pending'
    case 'answered':
      return ({ accept: 'complete', decline: 'declined', cancel: 'cancelled' } as const)[state.answer.action]
    case 'expired':
      return 'expired'
    case 'failed':
      return 'failed'
    case 'withdrawn':
      return 'cancelled'
  }
}
