import { csrfField, documentOf, heading } from '../layout/frame.ts'
import { markup } from '../layout/markup.ts'
import { minifyCss } from '../layout/style.ts'
import { moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'
import { qrCode } from './qr-code.ts'

export interface PhoneLinkProps {
  readonly link: string
  readonly minutes: number
}

/** Shows the code that a phone scans. */
export function phoneLinkPage(frame: Frame, { link, minutes }: PhoneLinkProps): string {
  return documentOf(
    frame,
    'Let a phone in',
    markup`${heading('browser', 'Scan this with your phone', `The camera app will do. The code works once, within ${minutes} minutes.`)}
${qrCode(link, 'A QR code with the link for your phone')}
<details><summary>Open the link without a camera</summary><p><code class="value">${link}</code></p></details>
<p class="soft">Whoever opens it can see and answer your questions: let nobody else see this page. Afterwards your phone is on the page <a href="/browsers">Browsers</a>.</p>
<form method="post" action="/browsers/phone">${csrfField(frame)}<button>Show a new code</button></form>`,
    { style },
  )
}

export interface PhoneProps {
  readonly action: string
  readonly browserName: string
  readonly person: string
  readonly until: Date
}

/** Asks on the phone whether to sign it in. */
export function phonePage(frame: Frame, { action, browserName, person, until }: PhoneProps): string {
  return documentOf(
    frame,
    'Sign in on this phone?',
    markup`${heading('browser', markup`Sign in as ${visible(person)}?`, markup`${visible(browserName)} can then see and answer the questions of ${visible(person)}, until ${moment(frame, until)}. After that you sign in here.`)}
<p>If that is not you, or you did not scan a code of yours, close this page.</p>
<form method="post" action="${action}"><div class="answers"><button class="accept">Sign in</button></div></form>`,
  )
}

const style = minifyCss(
  '.qr { display: block; width: 100%; max-width: 20rem; margin-left: auto; margin-right: auto; border-radius: 8px; }',
)
