import { approvalIn } from '../../approval/question/subject.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { InboxRow } from '../pages/props.ts'
import { approvalEnd } from '../question/approval.ts'
import { labelsFrom, questionFacts } from '../question/question-facts.ts'
import { personName } from '../viewer/person-name.ts'

/** The row of a question in the inbox. */
export function rowOf(asked: Elicitation, viewer: Person): InboxRow {
  const { server, asker, requester, createdAt, expiresAt } = questionFacts(asked, viewer, '')
  return {
    id: asked.id,
    server,
    asker,
    ...(requester !== undefined && { requester }),
    what: whatOf(asked),
    line: lineOf(asked),
    createdAt,
    expiresAt,
    href: `/inbox?open=${encodeURIComponent(asked.id)}`,
  }
}

/** What the answer would do, as verb and object, without the server's words. */
export function whatOf(asked: Elicitation): string {
  const { purpose, origin, question } = asked
  switch (purpose) {
    case 'approval':
      return `Run ${approvalIn(asked)?.call.tool ?? 'a tool'}`
    case 'secret':
      return `Save a key for ${origin.server}`
    case 'connect':
      return `Connect ${(question.mode === 'url' && question.connect?.provider) || 'an account'}`
    case 'confirm':
      return `Let ${origin.server} go ahead`
    case 'input':
      return `Send an answer to ${origin.server}`
  }
}

/** The arguments on one line; for other questions what the server wrote, in quotation marks. */
function lineOf(asked: Elicitation): string {
  const about = approvalIn(asked)
  if (about === undefined) {
    const words = (labelsFrom(asked, ['title']).title ?? asked.question.message).trim()
    return words === '' ? '' : `“${words}”`
  }
  return Object.entries(about.call.arguments)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

/** How a question ended, in a few words: "Allowed by you". Undefined while it is open. */
export function endWords(asked: Elicitation, viewer: Person): string | undefined {
  const { state } = asked
  if (!isSettled(asked)) return undefined
  switch (state.kind) {
    case 'answered':
      return `${answerWords(asked, viewer)} by ${state.by.participant === viewer.participant ? 'you' : personName(state.by.participant)}`
    case 'expired':
      return 'Nobody answered'
    case 'failed':
      return 'Failed'
    case 'withdrawn':
    case 'open':
      return 'Withdrawn'
  }
}

function answerWords(asked: Elicitation, viewer: Person): string {
  const { state, purpose } = asked
  const action = state.kind === 'answered' ? state.answer.action : 'cancel'
  if (action === 'cancel') return 'Cancelled'
  if (purpose !== 'approval') return action === 'accept' ? 'Answered' : 'Declined'
  return approvalEnd(asked, viewer)?.effect === 'allow' ? 'Allowed' : 'Denied'
}
