import { decodeJwt, decodeProtectedHeader, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Identified, Login } from '../../participant/identify.ts'
import { participantId } from '../../participant/participant.ts'
import { loginAddress } from '../address.ts'
import { LoginUnavailable } from '../errors.ts'
import { stringIn, stringsIn } from './claims.ts'
import { keysOf } from './keys.ts'
import { pageLogin } from './page-login.ts'
import { rememberVerified } from './verified.ts'

export interface TokenLoginOptions {
  /** Exactly as tokens write it in `iss`. https, or http on this machine. */
  issuer: string
  /** What the `aud` of a token must hold, usually the address of this server. */
  audience: string
  /** Where the issuer's keys are. Default: what its metadata says. */
  jwksUri?: string
  /** The claim that lists a person's groups. Default: `groups`. */
  groupsClaim?: string
  /** The client that the pages are at the issuer. Without one, people cannot sign in on the pages. */
  clientId?: string
  /** Left out for a public client. */
  clientSecret?: string
  clock?: Clock
}

// Asymmetric only: with a shared secret, everybody who can check a token could also forge one.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** Seconds by which the issuer's clock and ours may differ. */
const tolerance = 5

/**
 * Knows people by the access tokens (JWT) that one issuer made for this installation. A bad token stands for nobody. Throws
 * only when the issuer's keys cannot be fetched, since then nothing is known about the token.
 */
export function loginByTokens(options: TokenLoginOptions): Login {
  const { issuer, audience, jwksUri, groupsClaim = 'groups', clientId, clientSecret, clock = systemClock } = options
  loginAddress(issuer)
  if (jwksUri !== undefined) loginAddress(jwksUri)
  const keys = keysOf(issuer, jwksUri)

  async function identify(token: string): Promise<Identified | undefined> {
    if (!isWorthChecking(token, issuer)) return undefined
    const claims = await verifiedClaims(token, keys, { issuer, audience, now: clock.now() })
    return claims && identityIn(claims, issuer, groupsClaim)
  }
  return {
    issuer,
    audience,
    byToken: rememberVerified(identify, clock),
    ...(clientId !== undefined && {
      onPages: pageLogin({
        issuer,
        clientId,
        groupsClaim,
        clock,
        ...(clientSecret !== undefined && { clientSecret }),
      }),
    }),
  }
}

/** Cheap checks before the keys are needed, so that strangers cannot make Assent fetch them. */
function isWorthChecking(token: string, issuer: string): boolean {
  try {
    const { alg = '', typ = 'JWT' } = decodeProtectedHeader(token)
    // Logout tokens, security events and the like are signed by the same keys, and must let nobody in.
    const isAccessToken = /^(application\/)?(at\+)?jwt$/i.test(typ)
    return isAccessToken && algorithms.includes(alg) && decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

async function verifiedClaims(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience, now }: { issuer: string; audience: string; now: Date },
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms,
      clockTolerance: tolerance,
      currentDate: now,
      requiredClaims: ['sub', 'exp'],
    })
    return payload
  } catch (error) {
    if (error instanceof LoginUnavailable) throw error
    return undefined
  }
}

function identityIn(claims: JWTPayload, issuer: string, groupsClaim: string): Identified | undefined {
  const subject = stringIn(claims.sub)
  if (subject === undefined || claims.exp === undefined) return undefined
  return {
    participant: participantId({ issuer, subject }),
    groups: stringsIn(claims[groupsClaim]),
    client: stringIn(claims.client_id) ?? stringIn(claims.azp) ?? 'unknown',
    scopes: scopesIn(claims.scope ?? claims.scp),
    expiresAt: new Date((claims.exp + tolerance) * 1_000),
  }
}

const scopesIn = (claim: unknown) => (typeof claim === 'string' ? claim.split(' ').filter(Boolean) : stringsIn(claim))
