import { approvalIn } from '../../approval/question/subject.ts'
import type { Answering } from '../../elicitation/answering/answerers.ts'
import { delegates, saysNo } from '../../elicitation/answering/may-answer.ts'
import type { Answer, Elicitation } from '../../elicitation/elicitation.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import { posted } from '../pages/props.ts'
import { questionPath } from '../question/question-path.ts'
import type { WebContext } from '../site.ts'
import { readSigned } from './posted-passkey.ts'

/** Whether a yes to this question must be signed with a passkey. */
export function needsPasskey(asked: Elicitation): boolean {
  return approvalIn(asked) !== undefined && asked.answerers.through === 'passkey'
}

/** Finds out, before a question is shown, whether this person can sign a yes; the page says what it finds. */
export async function preparePasskey(c: WebContext, asked: Elicitation, { participant }: Person): Promise<void> {
  if (isSettled(asked) || !needsPasskey(asked)) return
  const { passkeys, pages } = c.var.site.assent
  const path = questionPath(pages, asked) ?? ''
  c.set('isSigning', true)
  c.set('passkeyNeed', {
    signAction: `${path}/sign`,
    canSign: passkeys.problem === undefined && (await passkeys.list(participant)).length > 0,
    makeHref: `/passkeys?next=${encodeURIComponent(path)}`,
    ...(passkeys.problem !== undefined && { problem: passkeys.problem }),
  })
}

/** By which way this person answers here: a yes that must be signed comes with what they signed, or is refused. */
export function answeringHere(
  { participant, groups }: Person,
  via: 'page' | 'inbox',
  form: FormData,
  asked: Elicitation,
  given: Answer,
): Answering {
  const isYes = given.action === 'accept' && !saysNo(given.content) && !delegates(given.content)
  if (!isYes || !needsPasskey(asked)) return { participant, groups, via }
  const signed = readSigned(form, posted.ceremony, posted.assertion)
  return { participant, groups, via: 'passkey', ...(signed && { signed }) }
}
