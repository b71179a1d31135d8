import type { ApiRight, ApiToken } from '../../participant/owned.ts'
import { csrfField, documentOf, heading } from './layout/frame.ts'
import { icons } from './layout/icons.ts'
import { type Markup, markup } from './layout/markup.ts'
import { day } from './layout/times.ts'
import type { Frame } from './props.ts'
import { visible, visiblePlain } from './question/quote.ts'

export interface TokensPageProps {
  readonly tokens: readonly (Pick<ApiToken, 'name' | 'rights' | 'createdAt' | 'expiresAt'> & {
    readonly revokeAction: string
  })[]
  /** A token that was made just now. It is shown this once. */
  readonly made?: { readonly token: string; readonly name: string }
  readonly problem?: string
}

const rightWords: Readonly<Record<ApiRight, string>> = {
  status: 'See whether calls are paused, and how much waits for you',
  list: 'See the questions that wait for you, with their arguments',
  answer: 'Allow single calls, or deny them, where the rule takes an answer from a channel',
  'answer-own': 'Do so also for calls that programs make in your name',
}

const shortWords: Readonly<Record<ApiRight, string>> = {
  status: 'see how much waits',
  list: 'see questions',
  answer: 'answer',
  'answer-own': 'answer for programs in your name',
}

/** Lists the tokens by which programs act for a person, and lets them make and revoke one. */
export function tokensPage(frame: Frame, { tokens, made, problem }: TokensPageProps): string {
  const lead =
    tokens.length === 0
      ? 'No program may see or answer questions for you.'
      : 'With these, programs see and answer questions for you. Revoke any that you do not know or no longer use.'
  return documentOf(
    frame,
    'Programs that act for you',
    markup`${problem !== undefined && markup`<div class="errors" role="alert" tabindex="-1" autofocus>${icons.lost}<div><h2>No token was made</h2><p>${problem}</p></div></div>`}
${heading('key', 'Programs that act for you', lead)}
${made && fresh(made)}
${tokens.length > 0 && markup`<ul class="rows">${tokens.map((token) => row(frame, token))}</ul>`}
${form(frame)}`,
  )
}

function fresh({ token, name }: NonNullable<TokensPageProps['made']>): Markup {
  return markup`<section class="close" role="status"><h2>The token for ${visible(name, 60)}</h2><p>Copy it now. It is shown this once, and kept nowhere.</p>
<div class="facts"><div><code>${token}</code></div></div></section>`
}

function row(
  frame: Frame,
  { name, rights, createdAt, expiresAt, revokeAction }: TokensPageProps['tokens'][number],
): Markup {
  return markup`<li><div><strong>${visible(name, 60)}</strong>
<p class="soft small">May ${rights.map((right) => shortWords[right]).join(', ')}.</p>
<p class="soft small">Made ${day(frame, createdAt)}, expires ${day(frame, expiresAt)}</p></div>
<form method="post" action="${revokeAction}">${csrfField(frame)}<button class="destroy" aria-label="Revoke ${visiblePlain(name)}">Revoke</button></form></li>`
}

function form(frame: Frame): Markup {
  const rights = Object.entries(rightWords).map(
    ([right, words]) =>
      markup`<li><label class="choice"><input type="checkbox" name="right" value="${right}"><span>${words}</span></label></li>`,
  )
  return markup`<section class="stack"><div><h2>Make a token</h2><p class="hint">A program that has it does these things in your name. It never counts for a rule that wants you on a page.</p></div>
<form method="post" action="/tokens" class="stack">${csrfField(frame)}
<div class="field"><label for="name">Name of the program</label><p class="hint" id="name-hint">For you, to tell them apart.</p><input id="name" name="name" maxlength="60" required autocomplete="off" aria-describedby="name-hint"></div>
<fieldset class="field"><legend>What it may do</legend><ul class="choices">${rights}</ul></fieldset>
<div class="warning">${icons.warning}<p>With the last of these, an agent that gets the token can allow its own calls.</p></div>
<div class="field"><label for="days">Valid for days</label><input id="days" name="days" inputmode="numeric" value="90" required autocomplete="off"></div>
<div class="answers"><button class="accept">Make a token</button></div></form></section>`
}
