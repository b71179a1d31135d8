import { documentOf, heading } from '../../web/pages/layout/frame.ts'
import { markup } from '../../web/pages/layout/markup.ts'
import type { Frame } from '../../web/pages/props.ts'

const look = { title: 'Demo login', primaryColor: '#7a3e9d' }

/** The sign-in and consent page of the demo login, which stands for the login of an outside service. */
export function loginPage(nonce: string, now: Date, asked: { id: string; scopes: readonly string[] }): string {
  return documentOf(
    frame(nonce, now),
    'Sign in',
    markup`${heading('key', 'Sign in to the demo service', 'This stands for the login of a service that is not Assent. Any name will do.')}
<form method="post" action="/authorize" class="stack">
<input type="hidden" name="id" value="${asked.id}">
<div class="field"><label for="name">Your name there</label><input id="name" name="name" value="ada" maxlength="40" autocomplete="off"></div>
<p>Assent wants to use your account: <code>${asked.scopes.join(' ') || 'no scope'}</code></p>
<div class="answers"><button name="action" value="deny">Not now</button><button class="accept" name="action" value="allow">Allow</button></div>
</form>`,
  )
}

/** The page for a request that the demo login refuses. */
export function lostPage(nonce: string, now: Date, words: string): string {
  return documentOf(
    frame(nonce, now),
    'Nothing here',
    markup`${heading('lost', 'There is nothing to sign in to here', words)}
<p>Go back, and begin again.</p>`,
  )
}

const frame = (nonce: string, now: Date): Frame => ({ nonce, look, locale: 'en', now, csrf: '' })
