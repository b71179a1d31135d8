import { type Markup, markup } from '../layout/markup.ts'
import { type ApprovalPageProps, posted, postedName, type VotingProps } from '../props.ts'
import { problemOf } from './fields.ts'
import { visible, visiblePlain } from './quote.ts'

const longestLine = 1_200

/** Who voted what, who is missing, to whom it was handed on; the inbox replaces it while the question is open. */
export function votingSection({ voting }: Pick<ApprovalPageProps, 'voting'>): Markup {
  if (voting === undefined || voting.lines.length === 0) return markup``
  return markup`<section class="close" id="votes" data-shown="${voting.version}"><h2>Who decides</h2>${votingLines(voting)}</section>`
}

/** The same as a list alone. */
export function votingLines({ lines }: Pick<VotingProps, 'lines'>): Markup {
  return lines.length === 0
    ? markup``
    : markup`<ul class="votes">${lines.map((line) => markup`<li>${visible(line, longestLine)}</li>`)}</ul>`
}

/** Hands the question on, where the rule lets approvers do that. */
export function delegation({ voting, errors }: Pick<ApprovalPageProps, 'voting' | 'errors'>): Markup {
  if (voting?.delegate === undefined) return markup``
  const { typed, suggested } = voting.delegate
  const problem = errors.find(({ field }) => field === 'delegateTo')?.message ?? ''
  const options = suggested.map(({ name, words }) => markup`<option value="${name}">${visiblePlain(words)}</option>`)
  const isOpen = typed !== '' || problem !== ''
  return markup`<details class="more"${isOpen && markup` open`}><summary>Hand it on to somebody else</summary><div class="field"><label for="delegate-to">To whom</label><input id="delegate-to" name="${postedName('delegateTo')}" value="${typed}" list="delegates" maxlength="500" autocomplete="off" aria-describedby="delegate-to-problem delegate-to-hint"><datalist id="delegates">${options}</datalist><p class="hint" id="delegate-to-hint">A person as subject@issuer, or a group as group:name. Your part goes to them, and you cannot answer any more.</p>${problemOf({ id: 'delegate-to', problem })}</div><div class="answers"><button name="${posted.answer}" value="delegate" formnovalidate>Hand it on</button></div></details>`
}
