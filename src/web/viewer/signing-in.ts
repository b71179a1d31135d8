import { randomBytes } from 'node:crypto'
import { getCookie } from 'hono/cookie'
import { isPlainObject } from '../../base/json.ts'
import { openText, sealText } from '../../base/seal.ts'
import { rememberUntil } from '../../call/step.ts'
import type { SigningIn } from '../../participant/identify.ts'
import { clearTemporaryCookie, cookieName, setTemporaryCookie } from '../http/cookie.ts'
import type { WebContext } from '../site.ts'

const signingMs = 10 * 60_000
const identity = 'web/signing-in'
/** How many tabs may sign in at once, each with its own cookie. One more clears the cookies of the others. */
const mostAtOnce = 5

/** A sign-in that was begun, and the page to open when it is done. */
export interface PendingSignIn {
  readonly signing: SigningIn
  readonly next: string
}

/** Begins a sign-in. A sealed cookie holds its secrets, which prove later that this browser began it. */
export async function beginSignIn(c: WebContext, next: string): Promise<SigningIn> {
  const { assent } = c.var.site
  const signing: SigningIn = {
    state: secret(),
    nonce: secret(),
    verifier: secret(),
    redirectUri: `${assent.pages.publicUrl}/login/callback`,
  }
  const begun = Object.keys(getCookie(c)).filter((name) => name.startsWith(cookieName(c, cookieFor(''))))
  if (begun.length >= mostAtOnce) for (const name of begun) clearTemporaryCookie(c, name.replace(/^__Host-/, ''))
  const expires = assent.clock.now().getTime() + signingMs
  const sealed = await sealText(assent.vault, identity, { signing, next, expires })
  setTemporaryCookie(c, cookieFor(signing.state), sealed, signingMs)
  return signing
}

/** The sign-in that this browser began; undefined if there is none, or if it expired or was taken before. */
export async function takeSignIn(c: WebContext, state: string | undefined): Promise<PendingSignIn | undefined> {
  const { vault, clock, store } = c.var.site.assent
  if (state === undefined || !/^[\w-]{43}$/.test(state)) return undefined
  const text = getCookie(c, cookieName(c, cookieFor(state)))
  if (text === undefined) return undefined
  clearTemporaryCookie(c, cookieFor(state))
  const opened = await openText(vault, identity, text)
  if (!isPlainObject(opened)) return undefined
  const { signing, next, expires } = opened as unknown as PendingSignIn & { expires: number }
  if (signing.state !== state || clock.now().getTime() >= expires) return undefined
  const { kind } = await store.steps.claim({ walkId: 'signing-in', name: state }, rememberUntil(new Date(expires)))
  return kind === 'claimed' ? { signing, next } : undefined
}

const cookieFor = (state: string) => `assent-login-${state.slice(0, 8)}`
const secret = () => randomBytes(32).toString('base64url')
