import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type IDToken,
} from 'openid-client'
import type { Clock } from '../../base/clock.ts'
import type { PageLogin, SignedIn } from '../../participant/identify.ts'
import { participantId } from '../../participant/participant.ts'
import { accountIn } from '../account.ts'
import { plainRedirectUri, readCallback } from '../callback.ts'
import { failureOf, OAuthFailed, tellFailure } from '../failures.ts'
import { type KnownServer, remoteServer } from '../remote-server.ts'
import { stringsIn } from './claims.ts'

export interface PageLoginOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly groupsClaim: string
  readonly clock: Clock
  /** The limit for each request. Default: 5 s. */
  readonly timeoutMs?: number
}

const title = 'The login'

/** Signs people in at an OpenID issuer by the code flow, with PKCE and a nonce. */
export function pageLogin(options: PageLoginOptions): PageLogin {
  const { issuer, clientSecret = '', groupsClaim } = options
  const server = remoteServer({ issuer }, options, { ...options, checkSignatures: true })

  return {
    async begin({ state, nonce, verifier, redirectUri }) {
      const returnTo = plainRedirectUri(redirectUri).href
      try {
        const { configuration } = await server()
        const url = buildAuthorizationUrl(configuration, {
          scope: 'openid profile',
          redirect_uri: returnTo,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { kind: 'begun', url: url.href }
      } catch (error) {
        return { kind: 'failed', message: tellFailure(title, failureOf(error), []) }
      }
    },

    async complete(signing, callback) {
      const { state, nonce, verifier } = signing
      const secrets = [...callback.searchParams.getAll('code'), state, nonce, verifier, clientSecret]
      try {
        const known = await server()
        const said = readCallback(callback, signing, known)
        if (said.kind === 'denied') return { kind: 'failed', message: 'You did not sign in.' }
        const response = await authorizationCodeGrant(known.configuration, said.url, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
        })
        const claims = response.claims()
        if (claims === undefined) throw new OAuthFailed({ reason: 'bad_id_token' })
        return { kind: 'signed-in', who: await whoIn(claims, response.access_token, known) }
      } catch (error) {
        return { kind: 'failed', message: tellFailure(title, failureOf(error), secrets) }
      }
    },
  }

  async function whoIn(claims: IDToken, accessToken: string, known: KnownServer): Promise<SignedIn> {
    const name = accountIn(claims, ['name', 'preferred_username', 'email'])
    return {
      participant: participantId({ issuer, subject: claims.sub }),
      groups: stringsIn(claims[groupsClaim] ?? (await claimFromUserinfo(groupsClaim, claims.sub, accessToken, known))),
      ...(name !== undefined && { name }),
    }
  }
}

/** Some issuers give a claim only at their userinfo endpoint. `fetchUserInfo` checks that it is about the same person. */
async function claimFromUserinfo(
  claim: string,
  subject: string,
  accessToken: string,
  { configuration, userinfoEndpoint }: KnownServer,
): Promise<unknown> {
  if (userinfoEndpoint === undefined) return undefined
  return (await fetchUserInfo(configuration, accessToken, subject))[claim]
}
