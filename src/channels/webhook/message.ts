import { visibleLine } from '../../base/text/visible-text.ts'
import { type Elicitation, isSettled, type Purpose } from '../../elicitation/elicitation.ts'
import { type ElicitationStatus, statusOf } from '../../elicitation/result.ts'

/** What a webhook is told: that a question waits, or no longer does, and where. Never what it says, nor what was answered. */
export interface WebhookMessage {
  readonly type: 'question.asked' | 'question.settled'
  /** Of the question. */
  readonly id: string
  readonly purpose: Purpose
  /** Which server the question is about. */
  readonly server: string
  /** Which client asks: what it calls itself, else its id. */
  readonly client: string
  /** How many may answer, a group counted as one. */
  readonly answerers: number
  /** Leads to its page, and opens it only for those who may answer. */
  readonly link: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly status: ElicitationStatus
}

/** The message about a question as it stands. */
export function messageAbout(elicitation: Elicitation, link: string): WebhookMessage {
  const { id, purpose, origin, requester, answerers, createdAt, expiresAt } = elicitation
  return {
    type: isSettled(elicitation) ? 'question.settled' : 'question.asked',
    id,
    purpose,
    server: visibleLine(origin.server, longestName),
    client: visibleLine(requester.clientName ?? requester.client, longestName),
    answerers: answerers.anyOf.length,
    link,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    status: statusOf(elicitation),
  }
}

/** A name that a stranger chose is no place for a message. */
const longestName = 80
