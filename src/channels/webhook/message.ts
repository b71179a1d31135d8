import { approvalIn } from '../../approval/question/subject.ts'
import { clientText, nameText } from '../../base/text/names.ts'
import { type Elicitation, isSettled, type Priority, type Purpose } from '../../elicitation/elicitation.ts'
import { type ElicitationStatus, statusOf } from '../../elicitation/result.ts'
import { answerersNow } from '../../elicitation/voting/voting.ts'
import { namedClient } from '../../participant/requester.ts'
import { namedIn } from '../delivery/recipients.ts'

/** Tells a webhook that a question was asked or settled, and where it is. Never holds its text or its answer. */
export interface WebhookMessage {
  readonly type: 'question.asked' | 'question.settled'
  /** The id of the question. */
  readonly id: string
  readonly purpose: Purpose
  /** The server that the question is about. */
  readonly server: string
  /** The tool that an approval is about. */
  readonly tool?: string
  /** Whom, and which channels, the rule names in `notify`; absent: nobody. */
  readonly notify?: readonly string[]
  /** The name of the client that asks, else its id. */
  readonly client: string
  /** How many participants and groups may answer now. */
  readonly answerers: number
  readonly priority: Priority
  /** The address of its page, which opens only for those who may answer. */
  readonly link: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly status: ElicitationStatus
}

/** The message about a question in its current state. Names are cut off: a stranger chooses them, and could put a message in one. */
export function messageAbout(elicitation: Elicitation, link: string): WebhookMessage {
  const tool = approvalIn(elicitation)?.call.tool
  const notify = namedIn(elicitation)
  const { id, purpose, origin, requester, priority = 'normal', createdAt, expiresAt } = elicitation
  return {
    type: isSettled(elicitation) ? 'question.settled' : 'question.asked',
    id,
    purpose,
    server: nameText(origin.server),
    ...(tool !== undefined && { tool: nameText(tool) }),
    ...(notify.length > 0 && { notify }),
    client: clientText(namedClient(requester), 'label'),
    answerers: answerersNow(elicitation).length,
    priority,
    link,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    status: statusOf(elicitation),
  }
}
