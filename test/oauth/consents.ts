import { randomBytes } from 'node:crypto'
import type { Consent, ConsentRequest, Tokens } from '../../src/connection/provider.ts'
import { type ConsentSettings, oauthConsent } from '../../src/oauth/consent.ts'
import { type FixedClock, fixedClock } from '../../src/testing/fixed-clock.ts'
import { type OAuthServer, oauthClient } from '../support/oauth/oauth-server.ts'

export const redirectUri = 'http://127.0.0.1:4180/oauth/callback'

const random = () => randomBytes(32).toString('base64url')

/** A visit as the room of connections begins it. */
export const newRequest = (scopes: readonly string[] = ['openid', 'profile', 'notes.read']): ConsentRequest => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  redirectUri,
  scopes,
})

export interface TestConsent extends Consent {
  readonly clock: FixedClock
}

/** Consent at a server on loopback that calls itself Notes. */
export function consentAt(
  server: Pick<OAuthServer, 'issuer'>,
  settings: Partial<ConsentSettings> = {},
  timeoutMs = 2_000,
): TestConsent {
  const clock = fixedClock()
  const consent = oauthConsent(
    { title: 'Notes', server: { issuer: server.issuer }, ...oauthClient, ...settings },
    { clock, timeoutMs },
  )
  return { ...consent, clock }
}

/** The address that people are sent to; fails the test where there is none. */
export async function beginAt(consent: Consent, request: ConsentRequest): Promise<string> {
  const begun = await consent.begin(request)
  if (begun.kind !== 'begun') throw new Error(begun.message)
  return begun.url
}

/** Goes there, signs in as Ada, allows, and comes back with tokens. */
export async function connect(
  server: Pick<OAuthServer, 'visit'>,
  consent: Consent,
  request: ConsentRequest = newRequest(),
): Promise<Tokens> {
  const callback = await server.visit(await beginAt(consent, request), { account: 'ada' })
  const completed = await consent.complete(request, callback)
  if (completed.kind !== 'granted') throw new Error(JSON.stringify(completed))
  return completed.tokens
}
