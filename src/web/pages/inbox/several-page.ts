import type { SeveralItem, SeveralPageProps } from '../inbox-props.ts'
import { csrfField, documentOf, heading } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { minifyCss } from '../layout/style.ts'
import { timeLeft } from '../layout/times.ts'
import { type Frame, posted, postedName, shownOf } from '../props.ts'
import { toolName, why } from '../question/approval-page.ts'
import { argumentList } from '../question/arguments.ts'
import { quotation, visible } from '../question/quote.ts'
import { votingLines } from '../question/voting-section.ts'

/** Shows several approvals, each in full, and takes one answer for all that stay ticked. A yes covers each call once. */
export function severalPage(frame: Frame, { items, missing, action }: SeveralPageProps): string {
  const count = items.length === 1 ? 'one question' : `${items.length} questions`
  const lead =
    items.length === 0
      ? 'None of the selected questions can be answered here.'
      : 'Read each one. Your answer goes to those that are ticked, to each on its own. A yes covers each call once.'
  return documentOf(
    frame,
    items.length === 0 ? 'Answer several questions' : `Answer ${count}`,
    markup`${heading('inbox', items.length === 0 ? 'Nothing to answer' : `Answer ${count} together`, lead)}
${missing.length > 0 && markup`<div class="warning">${icons.warning}<ul>${missing.map((words) => markup`<li>${visible(words, 400)}</li>`)}</ul></div>`}
${items.length > 0 && answerForm(frame, items, action)}
<p><a href="/inbox">Back to the inbox</a></p>`,
    { style: severalStyle },
  )
}

function answerForm(frame: Frame, items: readonly SeveralItem[], action: string): Markup {
  const destroys = items.some(({ approval, leftOut }) => approval.isDestructive && leftOut === undefined)
  const mayAllow = items.some(({ leftOut }) => leftOut === undefined)
  return markup`<form method="post" action="${action}" class="stack">
${csrfField(frame)}<button disabled hidden></button>
<ol class="several">${items.map((item) => drawItem(frame, item))}</ol>
<div class="field"><label for="reason">Reason <span class="optional">(optional)</span></label><p class="hint" id="reason-hint">Goes to everybody who asked one of these, and into the audit.</p><input id="reason" name="${postedName('reason')}" maxlength="1000" autocomplete="off" aria-describedby="reason-problem reason-hint"><p class="problem" id="reason-problem" hidden>${icons.warning}<span></span></p></div>
<div class="answers"><button name="${posted.answer}" value="decline" formnovalidate>Deny the ticked</button><button class="accept${destroys && markup` destroys`}" name="${posted.answer}" value="accept"${!mayAllow && markup` disabled`}>Allow the ticked, once each</button></div>
</form>`
}

/** In a list item, which the script of every page removes when its time is over. */
function drawItem(frame: Frame, { id, approval, leftOut, href }: SeveralItem): Markup {
  const { asked, call, isDestructive, voting, shown, note } = approval
  const facts = argumentList(frame, call.arguments)
  return markup`<li class="stack"><div><h2><label class="choice"><input type="checkbox" name="${posted.question}" value="${id}" checked><span>Run ${visible(call.tool)} on ${visible(call.server)}?</span></label></h2><input type="hidden" name="${shownOf(id)}" value="${shown}">
<p class="soft small">Asked by ${visible(asked.asker, 1_000)}${asked.requester !== undefined && markup` for ${visible(asked.requester)}`} · ${timeLeft(frame, asked.expiresAt)} left</p>
${toolName(approval)}<p class="soft">${why(approval)}</p></div>
${quotation(asked.server, asked.message)}
${isDestructive && markup`<div class="warning">${icons.warning}<p>${visible(call.server)} says that this tool may delete or overwrite.</p></div>`}
${Object.keys(call.arguments).length === 0 ? markup`<p class="soft">It is called without arguments.</p>` : facts}
${voting !== undefined && votingLines(voting)}${note !== undefined && markup`<p class="hint">${note}</p>`}
${leftOut !== undefined && markup`<p class="soft">${leftOut} <a href="${href}">Open it on its own</a></p>`}</li>`
}

const severalStyle = minifyCss(`
  .several > li + li { margin-top: 32px; padding-top: 24px; border-top: 1px solid var(--line); }
  .several > li > * + * { margin-top: 12px; }
  .several h2 { font-size: 1.125rem; }
  .several .choice { margin: 0 -12px; }
`)
