import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { PasskeyNeed } from '../props.ts'
import { visible } from '../question/quote.ts'

/** Where the script says why a passkey was not used. */
export function passkeyProblem(): Markup {
  return markup`<p class="problem" role="alert" data-problem hidden></p>`
}

/** Said only where no script runs. */
export function needsScript(words: string): Markup {
  return markup`<noscript><div class="warning">${icons.warning}<p>${words}</p></div></noscript>`
}

/** What an approver must know before they allow what must be signed. */
export function passkeyNote({ problem, canSign, makeHref }: PasskeyNeed): Markup {
  if (problem !== undefined)
    return markup`<div class="warning">${icons.warning}<p>A yes to this must be signed with a passkey. ${visible(problem, 400)} You can deny it.</p></div>`
  if (!canSign) {
    return markup`<div class="warning">${icons.warning}<div><p>A yes to this must be signed with a passkey, and you have none yet. You can deny it.</p><p><a href="${makeHref}">Make a passkey, then come back</a></p></div></div>`
  }
  return markup`<p class="hint">Your yes is signed with your passkey, for exactly what this page shows and you choose.</p>
${needsScript('Allowing this needs a passkey, and that needs JavaScript, which this browser does not run here. You can deny it.')}`
}
