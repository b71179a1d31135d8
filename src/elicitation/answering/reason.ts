import type { Elicitation } from '../elicitation.ts'

/** The field of an approval's form in which the approver may say why. */
export const reasonField = 'reason'

/** How many characters of a reason are passed on and kept in the audit. */
export const longestReason = 1_000

/** Why a person said yes or no to an approval, in their own words; undefined if they gave no reason. */
export function approverReason({ purpose, state }: Pick<Elicitation, 'purpose' | 'state'>): string | undefined {
  if (purpose !== 'approval' || state.kind !== 'answered') return undefined
  const { answer } = state
  if (answer.action === 'decline') return asReason(answer.reason)
  return 'content' in answer && answer.content ? asReason(answer.content[reasonField]) : undefined
}

function asReason(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.trim().slice(0, longestReason).toWellFormed()
}
