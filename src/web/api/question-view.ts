import { approvalIn } from '../../approval/question/subject.ts'
import { clientText, nameText } from '../../base/text/names.ts'
import { isEnough } from '../../elicitation/answering/answerers.ts'
import { isAsked } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { namedClient } from '../../participant/requester.ts'
import type { ActingProgram } from './program.ts'

/** Why a program cannot answer a question. */
export type NotHere = 'settled' | 'needs-page' | 'own-question' | 'no-approval' | 'edited' | 'right-missing'

export const notHereWords: Readonly<Record<NotHere, string>> = {
  settled: 'It is settled.',
  'needs-page': 'Its rule wants a person, on its page.',
  'own-question': 'It was asked by a program that acts for the same person. That needs the right answer-own.',
  'no-approval': 'Only approvals can be answered here.',
  edited: 'An approver changed its arguments. It can be answered on its page.',
  'right-missing': 'This needs the right answer.',
}

/** Why this program cannot answer this question; undefined: it can. */
export function whyNotHere(asked: Elicitation, { token }: ActingProgram): NotHere | undefined {
  if (statusOf(asked) !== 'pending') return 'settled'
  if (!token.rights.includes('answer')) return 'right-missing'
  const about = approvalIn(asked)
  if (about === undefined) return 'no-approval'
  // What a rule wants shown is shown there, as the server's words.
  const isForPage = !isEnough('channel', asked.answerers.through) || about.decision.previewBy !== undefined
  if (isForPage) return 'needs-page'
  if (asked.voting?.edit !== undefined) return 'edited'
  const isOwn = asked.requester.participant === token.participant
  return isOwn && !token.rights.includes('answer-own') ? 'own-question' : undefined
}

/** A question in a list. Texts of servers and clients are in visible characters. */
export function questionItem(asked: Elicitation, program: ActingProgram, link: string) {
  const { id, purpose, origin, requester, priority = 'normal', createdAt, expiresAt } = asked
  const about = approvalIn(asked)
  const whyNot = whyNotHere(asked, program)
  return {
    id,
    purpose,
    server: nameText(origin.server),
    client: clientText(namedClient(requester), 'label'),
    ...(about && { tool: nameText(about.call.tool) }),
    priority,
    status: statusOf(asked),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    link,
    mayAnswer: whyNot === undefined,
    ...(whyNot !== undefined && { whyNot }),
  }
}

/** One question in full: an approval with the arguments as they were asked for, exactly. */
export function questionInFull(asked: Elicitation, program: ActingProgram, link: string) {
  const about = approvalIn(asked)
  return {
    ...questionItem(asked, program, link),
    ...(about && { arguments: about.call.arguments, reason: about.decision.why.words }),
  }
}

/** Whether the person of this program was asked. */
export function isTheirs(asked: Elicitation | undefined, program: ActingProgram): asked is Elicitation {
  return asked !== undefined && isAsked(asked, program)
}
