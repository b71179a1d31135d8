import { nameText } from '../../base/text/names.ts'
import type { Elicitation, Purpose } from '../../elicitation/elicitation.ts'

const needs: Readonly<Record<Purpose, string>> = {
  approval: 'needs your approval',
  confirm: 'needs your confirmation',
  input: 'needs an answer',
  secret: 'needs a key or password',
  connect: 'needs an account',
}

/** Which server needs what. Holds nothing that a client or a tool calls itself. */
export function whatIsNeeded({ origin, purpose }: Elicitation): string {
  return `${nameText(origin.server)} ${needs[purpose]}`
}

/** Before what is needed, where it is more urgent than usual. */
export function priorityMark({ priority }: Elicitation): string {
  return priority === 'urgent' || priority === 'high' ? `${priority}: ` : ''
}

export function utcText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
