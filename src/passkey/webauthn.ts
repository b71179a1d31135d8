import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import type { Passkey } from './passkey.ts'
import type { RelyingParty } from './relying-party.ts'

/** Loaded where it is needed: most installations have no rule that needs a passkey. */
const library = () => import('@simplewebauthn/server')

/** ES256, EdDSA and RS256: what authenticators have. */
const algorithms = [-7, -8, -257]

type Named = Pick<Passkey, 'credential' | 'transports'>

const descriptors = (passkeys: readonly Named[]) =>
  passkeys.map(({ credential, transports }) => ({ id: credential, transports: [...transports] }))

/** Options for `navigator.credentials.create`, as JSON. */
export async function creationOptions(
  site: RelyingParty,
  challenge: string,
  person: { readonly handle: string; readonly name: string },
  existing: readonly Named[],
): Promise<JsonObject> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userID: Buffer.from(person.handle, 'base64url'),
    userName: person.name,
    userDisplayName: person.name,
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    excludeCredentials: descriptors(existing),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
  return options as unknown as JsonObject
}

/** Options for `navigator.credentials.get`, as JSON. */
export async function requestOptions(
  site: RelyingParty,
  challenge: string,
  passkeys: readonly Named[],
): Promise<JsonObject> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    challenge: Buffer.from(challenge, 'base64url'),
    allowCredentials: descriptors(passkeys),
    userVerification: 'required',
  })
  return options as unknown as JsonObject
}

export type NewKey = Pick<Passkey, 'credential' | 'publicKey' | 'counter' | 'transports' | 'kind'>

/** How reading what an authenticator sent ended. */
export type Read<T> =
  | { readonly kind: 'verified'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: 'signed-something-else' | 'not-verified' }

/** The new key in what `navigator.credentials.create` gave, if it was made here, for this challenge, with user verification. */
export async function readCreated(site: RelyingParty, challenge: string, created: unknown): Promise<Read<NewKey>> {
  const { verifyRegistrationResponse } = await library()
  return reading(challenge, created, async (isChallenge) => {
    const response = created as RegistrationResponseJSON
    const { registrationInfo: info } = await verifyRegistrationResponse({
      response,
      expectedChallenge: isChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (info === undefined) return undefined
    const { id, publicKey, counter, transports = [] } = info.credential
    return {
      credential: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 8),
      kind: info.credentialDeviceType === 'multiDevice' ? 'synced' : 'device',
    }
  })
}

/** The name that the authenticator gave the key of this assertion; undefined for anything else. */
export function credentialOf(assertion: unknown): string | undefined {
  return isPlainObject(assertion) && typeof assertion.id === 'string' ? assertion.id : undefined
}

/**
 * How often the authenticator says it has signed, if this passkey signed this challenge here, with user verification.
 * The caller compares the count: the library would judge it before it knows whether the signature is genuine.
 */
export async function readAssertion(
  site: RelyingParty,
  challenge: string,
  { credential, publicKey }: Pick<Passkey, 'credential' | 'publicKey'>,
  assertion: unknown,
): Promise<Read<number>> {
  const { verifyAuthenticationResponse } = await library()
  return reading(challenge, assertion, async (isChallenge) => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion as AuthenticationResponseJSON,
      expectedChallenge: isChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: { id: credential, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  })
}

/** The library throws for whatever does not verify, and for whatever is malformed. */
async function reading<T>(
  challenge: string,
  given: unknown,
  verify: (isChallenge: (found: string) => boolean) => Promise<T | undefined>,
): Promise<Read<T>> {
  let isForThis = true
  const isChallenge = (found: string) => {
    isForThis = found === challenge
    return isForThis
  }
  try {
    const value = isFramed(given) ? undefined : await verify(isChallenge)
    if (value !== undefined) return { kind: 'verified', value }
  } catch {
    // Said below: what exactly is wrong with it is nobody's business but the sender's.
  }
  return { kind: 'refused', reason: isForThis ? 'not-verified' : 'signed-something-else' }
}

/** Whether the browser says that a page of another site had ours in a frame. Our pages forbid it; the library does not ask. */
function isFramed(given: unknown): boolean {
  const { response } = given as RegistrationResponseJSON
  const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
  return isPlainObject(data) && data.crossOrigin === true
}
