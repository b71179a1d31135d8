import { csrfField, documentOf, heading } from './layout/frame.ts'
import { markup } from './layout/markup.ts'
import type { EnrollPageProps, Frame } from './props.ts'
import { visible } from './question/quote.ts'

/** Asks whether to enroll this browser, so that it may answer for the person. */
export function enrollPage(frame: Frame, { action, browserName }: EnrollPageProps): string {
  return documentOf(
    frame,
    'Answer questions in this browser?',
    markup`${heading('browser', 'Answer questions in this browser?', markup`${visible(browserName)} then gets a cookie. Anyone who uses this browser can answer for you.`)}
<p>You can undo this at any time, on the page “Browsers”. If you did not ask for this link, close the page.</p>
<form method="post" action="${action}">${csrfField(frame)}<div class="answers"><button class="accept">Use this browser</button></div></form>`,
  )
}
