import { approvalIn } from '../../approval/question/subject.ts'
import { doneWords } from '../../approval/question/voting-words.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import { needsPasskey } from '../passkey/passkey-need.ts'
import { readId } from '../question/find-question.ts'
import type { WebContext } from '../site.ts'

/** How many questions can be answered together: as many as a page of the inbox has. */
export const mostTogether = 20

/** Why this question cannot be answered together with others at all; undefined: it can. `isCustom`: it has a page of the installation's own. */
export function notTogether(asked: Elicitation | undefined, person: Person, isCustom: boolean): string | undefined {
  if (asked === undefined) return 'it is not there any more.'
  if (isSettled(asked)) return 'it was settled meanwhile.'
  const isAlone = approvalIn(asked) === undefined || asked.question.schema === undefined
  if (isAlone || isCustom) return 'it has a page of its own. Open it to answer it.'
  return doneWords(asked, person)
}

/** Why a yes to several questions leaves this one out; undefined: it does not. A no is given to all. */
export function whyLeftOut(asked: Elicitation): string | undefined {
  if (needsPasskey(asked)) return 'A yes to this one must be signed with a passkey, so Allow leaves it out.'
  if (approvalIn(asked)?.decision.previewBy !== undefined) {
    return 'It has a preview, which its own page shows, so Allow leaves it out.'
  }
  if ((approvalIn(asked)?.decision.editable.length ?? 0) === 0) return undefined
  return 'Its arguments can be changed, which is done on its own page, so Allow leaves it out.'
}

/** What became of one of several answers. */
const ends = ['kept', 'counted', 'late', 'changed', 'left', 'failed'] as const

export type Became = (typeof ends)[number]

const becameName = 'became'

/** For the address of the inbox, which then says it. */
export function becameQuery(all: readonly (readonly [ElicitationId, Became])[]): string {
  return new URLSearchParams(all.map(([id, end]): [string, string] => [becameName, `${id}.${end}`])).toString()
}

/** What the address says became of several answers. What was answered is read from the records, whatever the address says. */
export function becameIn(c: WebContext): { readonly id: ElicitationId; readonly end: Became }[] {
  const given = (c.req.queries(becameName) ?? []).slice(0, mostTogether)
  return given.flatMap((text) => {
    const [first, last] = text.split('.')
    const id = readId(first)
    const end = ends.find((one) => one === last)
    return id === undefined || end === undefined ? [] : [{ id, end }]
  })
}

/** The same as a sentence: `what` the question is about, and how it `ended`, if it did. */
export function becameWords(
  asked: Elicitation,
  end: Became,
  person: Person,
  { what, ended }: { readonly what: string; readonly ended: string | undefined },
): string {
  if (ended !== undefined) {
    const how = `${ended.charAt(0).toLowerCase()}${ended.slice(1)}`
    return end === 'late' ? `${what}: settled before your answer, ${how}.` : `${what}: ${how}.`
  }
  switch (end) {
    case 'changed':
      return `${what}: left out, because it changed after it was shown to you. Look at it again.`
    case 'left':
      return `${what}: left out. ${whyLeftOut(asked) ?? 'Open it to answer it.'}`
    case 'failed':
      return `${what}: your answer was not taken. Open it to see why.`
    case 'kept':
    case 'counted':
    case 'late':
      return `${what}: ${doneWords(asked, person) ?? 'still open.'}`
  }
}
