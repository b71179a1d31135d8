import { errorSummary } from '../layout/errors.ts'
import { exactText } from '../layout/exact-text.ts'
import { csrfField, pageOf, type Sheet } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount } from '../layout/times.ts'
import { passkeyNote, passkeyProblem } from '../passkey/passkey-parts.ts'
import { passkeyScript } from '../passkey/passkey-script.ts'
import { type ApprovalPageProps, denialField, type Frame, type OfferedChoice, posted, postedName } from '../props.ts'
import { argumentList, drawValue } from './arguments.ts'
import { fieldNamed, problemOf } from './fields.ts'
import { deadline, questionHead } from './question-parts.ts'
import { quotation, visible, visiblePlain } from './quote.ts'
import { delegation, votingSection } from './voting-section.ts'

/** Asks whether a call may run: which tool, which arguments, why the person is asked, and what a yes covers. */
export function approvalPage(frame: Frame, props: ApprovalPageProps): string {
  return pageOf(frame, approvalSheet(frame, props))
}

export function approvalSheet(frame: Frame, props: ApprovalPageProps): Sheet {
  const { asked, call, schema, errors, isDestructive, passkey } = props
  return {
    title: `Run ${visiblePlain(call.tool)} on ${visiblePlain(call.server)}?`,
    body: markup`${errorSummary(schema, errors)}
${questionHead('run', asked, markup`Run ${visible(call.tool)} on ${visible(call.server)}?`, why(props), toolName(props))}
${quotation(asked.server, asked.message)}
${isDestructive && markup`<div class="warning">${icons.warning}<p>${visible(call.server)} says that this tool may delete or overwrite.</p></div>`}
${facts(frame, props)}
${commands(props)}
${preview(frame, props)}
${votingSection(props)}
${props.voting?.done === undefined ? answerForm(frame, props) : markup`<p><strong>${props.voting.done}</strong></p>`}
${deadline(frame, asked, 'Nothing runs.')}`,
    ...(passkey?.canSign && { script: passkeyScript }),
  }
}

function answerForm(frame: Frame, props: ApprovalPageProps): Markup {
  const { asked, schema, errors, isDestructive, passkey } = props
  return markup`<form method="post" action="${asked.action}" class="stack"${passkey?.canSign && markup` data-sign="${passkey.signAction}"`}>
${csrfField(frame)}${shownField(props)}<button disabled hidden></button>
${edits(frame, props)}
${reach(props)}
${fieldNamed({ locale: frame.locale, schema, errors, typed: new Map([['reason', [props.reason]]]) }, 'reason')}
${denials(props)}
${delegation(props)}
${passkey !== undefined && passkeyNote(passkey)}
<div class="answers"><button name="${posted.answer}" value="decline" formnovalidate>Deny</button><button class="accept${isDestructive && markup` destroys`}" name="${posted.answer}" value="accept"${passkey?.canSign === false && markup` disabled`}>${passkey === undefined ? 'Allow' : 'Allow with passkey'}</button></div>${passkey !== undefined && passkeyProblem()}
</form>`
}

function shownField({ shown }: ApprovalPageProps): Markup {
  return markup`<input type="hidden" name="${posted.shown}" value="${shown}">`
}

/** The tool's name, and beside it the title that the server gives it, marked as the server's. */
export function toolName({ call: { tool, server, title } }: ApprovalPageProps): Markup {
  const isOther = title !== undefined && title.trim() !== '' && title.trim() !== tool
  return markup`<p class="tool"><code>${exactText(tool)}</code>${isOther && markup` <span class="soft small">${visible(server)} calls it <q>${visible(title)}</q></span>`}</p>`
}

/** Why the person is asked, with the number of the rule. */
export function why({ why: { words, rule } }: ApprovalPageProps): Markup {
  const isNamed = rule === undefined || /\brule \d/i.test(words)
  return markup`${visible(words, 400)}${!isNamed && markup` <span class="rule">Rule ${rule}.</span>`}`
}

function facts(frame: Frame, { call, fixed, editable }: ApprovalPageProps): Markup {
  if (Object.keys(call.arguments).length === 0 && editable.length === 0) {
    return markup`<p class="soft">It is called without arguments.</p>`
  }
  if (Object.keys(fixed).length === 0) return markup``
  return markup`<section class="close"><h2>With these arguments</h2>${argumentList(frame, fixed)}</section>`
}

/** The parts of a shell command, beside the whole that stands among the arguments. */
function commands({ commands = [] }: ApprovalPageProps): Markup {
  if (commands.length === 0) return markup``
  const items = commands.map((one) => markup`<li><code>${exactText(one)}</code></li>`)
  return markup`<section class="close"><h2>The command has ${commands.length} parts</h2><ol class="numbered">${items}</ol></section>`
}

const previewLines = 400

/** What another tool of the server shows, always as the server's words. */
function preview({ locale }: Frame, { call: { server }, preview }: ApprovalPageProps): Markup {
  if (preview === undefined) return markup``
  const { tool, text, leftOut = 0, problem, note } = preview
  if (text === undefined) {
    return markup`<section class="close"><h2>Preview</h2><p>There is no preview. ${visible(problem ?? '', 700)}</p></section>`
  }
  const rest = leftOut > 0 && markup`<p class="hint">${amount(locale, leftOut)} more characters are not shown.</p>`
  return markup`<section class="close preview"><h2>Preview by <code>${exactText(tool)}</code></h2>${note !== undefined && markup`<p class="hint">${note}</p>`}${text.trim() === '' ? markup`<p class="soft">It is empty.</p>` : quotation(server, text, 'none', { characters: text.length, lines: previewLines })}${rest}</section>`
}

function edits(frame: Frame, { call, editable, schema, typed, errors, fixed }: ApprovalPageProps): Markup {
  if (editable.length === 0) return markup``
  const more = Object.keys(fixed).length > 0
  const form = { locale: frame.locale, schema, errors, typed, isExact: true }
  const drawn = editable.map(({ field, asked }) => {
    const given = asked === undefined ? undefined : call.arguments[asked.name]
    const words = asked?.isHidden ? 'Asked for, with hidden characters shown:' : 'Asked for:'
    return markup`<div class="edit">${fieldNamed(form, field)}${given !== undefined && markup`<p class="hint">${words}</p><div class="facts"><div>${drawValue(frame, given)}</div></div>`}</div>`
  })
  return markup`<section class="edits stack"><div><h2>${more ? 'And these arguments, which you can change' : 'With these arguments, which you can change'}</h2><p class="hint">The call runs with the values in these fields.</p></div>${drawn}</section>`
}

const inView = 4
/** Names in a choice were cut before. */
const longestWords = 2_000

/** What a yes can cover, narrowest first and preselected. The wide choices are folded, unless one was chosen before. */
function reach({ offered, chosen, errors, note }: ApprovalPageProps): Markup {
  const problem = errors.find(({ field }) => field === 'choice')?.message ?? ''
  const item = (choice: OfferedChoice, index: number) =>
    markup`<li><label class="choice"><input type="radio" id="${index === 0 ? 'f0' : `f0-${index}`}" name="${postedName('choice')}" value="${choice.value}" required${choice.value === chosen && markup` checked`}><span>${visible(choice.words, longestWords)}</span></label></li>`
  const items = offered.map(item)
  const isFolded = offered.length > inView + 1
  const isOpen = offered.findIndex(({ value }) => value === chosen) >= inView
  const more =
    isFolded &&
    markup`<details class="more"${isOpen && markup` open`}><summary>More choices for a yes</summary><ul class="choices">${items.slice(inView)}</ul></details>`
  return markup`<fieldset class="field"><legend>What your yes covers</legend>${note !== undefined && markup`<p class="hint">${note}</p>`}<ul class="choices"${problem !== '' && markup` data-bad`}>${isFolded ? items.slice(0, inView) : items}</ul>${more}${problemOf({ id: 'f0', problem })}</fieldset>`
}

function denials({ denials, denial }: ApprovalPageProps): Markup {
  if (denials.length === 0) return markup``
  const items = [{ value: '', words: 'Deny this call only' }, ...denials].map(
    ({ value, words }, index) =>
      markup`<li><label class="choice"><input type="radio" id="denial-${index}" name="${denialField}" value="${value}"${value === denial && markup` checked`}><span>${visible(words, longestWords)}</span></label></li>`,
  )
  return markup`<details class="more"${denial !== '' && markup` open`}><summary>More choices for a no</summary><fieldset class="field"><legend>If you deny</legend><ul class="choices">${items}</ul></fieldset></details>`
}
