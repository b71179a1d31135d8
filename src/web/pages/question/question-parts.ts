import { csrfField } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { moment, timeLeft } from '../layout/times.ts'
import { type AskedFacts, type Frame, posted } from '../props.ts'
import { visible } from './quote.ts'

/** The top of every question: who asks, through which client, for whom, and the question as one sentence. */
export function questionHead(
  icon: keyof typeof icons,
  asked: AskedFacts,
  question: Markup | string,
  why: Markup | string,
  below: Markup | string = '',
): Markup {
  return markup`<header>
<div class="asker"><span class="badge">${icons[icon]}</span><p><strong>${visible(asked.server)}</strong> <span class="soft small">asked by ${visible(asked.asker, longestAsker)}${forWhom(asked)}</span></p></div>
<h1>${question}</h1>${below}
<p class="lead soft">${why}</p>${
    asked.left !== undefined &&
    markup`
<p class="small soft">${asked.left}</p>`
  }
</header>`
}

/** The person that the client acts for. Without a login there is only one. */
function forWhom({ requester, asker, client }: AskedFacts): Markup | string {
  if (requester !== undefined) return markup` for ${visible(requester)}`
  return asker === client ? ' for you' : ''
}

/** Names in it were cut before. */
const longestAsker = 1_000

/** The labels of the buttons that answer a question. */
export interface AnswerWords {
  readonly accept: Markup | string
  readonly decline: Markup | string
}

/**
 * The form of a question with its three answers. Enter in a field presses the first button, so accept comes first in a
 * form with fields. Without fields decline comes first. On the screen the order is the same.
 */
export function questionForm(frame: Frame, action: string, words: AnswerWords, contents?: Markup): Markup {
  const accept = markup`<button class="accept" name="${posted.answer}" value="accept">${words.accept}</button>`
  const decline = markup`<button name="${posted.answer}" value="decline" formnovalidate>${words.decline}</button>`
  const cancel = markup`<button class="plain" name="${posted.answer}" value="cancel" formnovalidate>Cancel</button>`
  const answers = contents === undefined ? [decline, accept] : [accept, decline]
  return markup`<form method="post" action="${action}" class="stack">
${csrfField(frame)}${contents}
<div class="answers${contents !== undefined && markup` accept-first`}">${answers}${cancel}</div>
</form>`
}

/** The time left, and what happens when nobody answers. */
export function deadline(frame: Frame, { expiresAt }: AskedFacts, unanswered: string): Markup {
  return markup`<p class="left" data-over="Time is up. ${unanswered}">${icons.clock}<span>Time left: ${timeLeft(frame, expiresAt)}, until ${moment(frame, expiresAt)}.<br>Unanswered, ${unanswered.charAt(0).toLowerCase()}${unanswered.slice(1)}</span></p>`
}
