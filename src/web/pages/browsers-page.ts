import { csrfField, documentOf, heading } from './layout/frame.ts'
import { type Markup, markup } from './layout/markup.ts'
import { day } from './layout/times.ts'
import type { BrowsersPageProps, Frame } from './props.ts'
import { visible, visiblePlain } from './question/quote.ts'

/** Lists the browsers that may answer for a person, each with a button to remove it. */
export function browsersPage(frame: Frame, { browsers, mayLetPhoneIn }: BrowsersPageProps): string {
  const lead =
    browsers.length === 0
      ? 'You have added no browser. None can see your questions or answer them.'
      : 'These can see your questions and answer them. Remove any that you do not know or no longer use.'
  return documentOf(
    frame,
    'Your browsers',
    markup`${heading('browser', 'Your browsers', lead)}
${browsers.length > 0 && markup`<ul class="rows">${browsers.map((browser) => row(frame, browser))}</ul>`}
${mayLetPhoneIn ? letPhoneIn(frame) : markup`<p class="soft">To add a browser, run <code>assent open</code> in a terminal, or sign in with it.</p>`}
<p class="soft">A browser can also tell you when you are asked: <a href="/push">notifications</a>.</p>
<p class="soft"><a href="/tokens">Programs that act for you</a> have tokens instead.</p>`,
  )
}

function letPhoneIn(frame: Frame): Markup {
  return markup`<section class="close"><h2>Use your phone</h2><p class="hint">Shows a code that your phone scans once, and is signed in by.</p>
<form method="post" action="/browsers/phone">${csrfField(frame)}<button>Let a phone in</button></form></section>`
}

function row(frame: Frame, browser: BrowsersPageProps['browsers'][number]): Markup {
  const { name, by, createdAt, expiresAt, isThisOne, removeAction } = browser
  return markup`<li><div><strong>${visible(name)}</strong>${isThisOne && markup` <span class="tag">This browser</span>`}
<p class="soft small">Added ${day(frame, createdAt)} by a ${by === 'link' ? 'one-time link' : 'login'}, expires ${day(frame, expiresAt)}</p></div>
<form method="post" action="${removeAction}">${csrfField(frame)}<button class="destroy" aria-label="Remove ${visiblePlain(name)}">Remove</button></form></li>`
}
