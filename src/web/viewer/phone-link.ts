import type { PageSettings } from '../../elicitation/page-settings.ts'
import type { Browser } from '../../participant/browser.ts'
import type { AssentForWeb } from '../needs.ts'
import { type CodeParts, makeCode, type OneTimeCode, readCode, useCode } from './one-time-code.ts'

/** How long a link for a phone works, in minutes: it is scanned at once. */
export const phoneLinkMinutes = 5
const identity = 'web/phone'

/** A link that signs one other browser in as the person of this one, once. */
export async function phoneLink(
  parts: CodeParts & { readonly pages: Pick<PageSettings, 'publicUrl'> },
  browser: Browser,
): Promise<string> {
  const code = await makeCode(parts, identity, phoneLinkMinutes * 60_000, { key: browser.key })
  return `${parts.pages.publicUrl}/browsers/add?code=${encodeURIComponent(code)}`
}

/** A link that was opened, and the browser that made it, which is still signed in. */
export interface PhoneLink {
  readonly code: OneTimeCode
  readonly madeIn: Browser
}

/** Undefined for what is no link, for one that is over, and where its maker has signed out meanwhile. */
export async function readPhoneLink(
  assent: Pick<AssentForWeb, 'vault' | 'clock' | 'store'>,
  text: string | undefined,
): Promise<PhoneLink | undefined> {
  const code = await readCode(assent, identity, text)
  const madeIn = code && (await assent.store.browsers.getByKey(code.facts.key ?? ''))
  if (code === undefined || madeIn === undefined) return undefined
  return madeIn.by === 'login' && madeIn.expiresAt > assent.clock.now() ? { code, madeIn } : undefined
}

/** Uses up the link. False where it was used before. */
export function usePhoneLink({ store }: Pick<AssentForWeb, 'store'>, { code }: PhoneLink): Promise<boolean> {
  return useCode(store.steps, code)
}
