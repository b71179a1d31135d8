import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { FetchFailed } from '../base/guarded-fetch.ts'
import { visibleLine } from '../base/text/visible-text.ts'

/** Why a request to an OAuth server failed: a stable reason, and the server's own words, which are not safe to show yet. */
export interface Failure {
  readonly reason: FailureReason
  /** The OAuth error code, where the server gave one. */
  readonly error?: string
  readonly said?: string
  /** What the administrator can do, added to the message. */
  readonly remedy?: string
}

export type FailureReason = keyof typeof messages

/** `{title}` is the server's name for people. */
const messages = {
  address_refused: '{title} names an address that Assent may not use.',
  audience_mismatch: 'The answer of {title} is meant for another client.',
  bad_answer: '{title} sent an answer that cannot be read.',
  bad_id_token: '{title} sent an id token that is not valid.',
  invalid_client: '{title} does not accept this installation. Its operator must check the client id and secret.',
  invalid_grant: '{title} did not accept its own code. Start again.',
  issuer_changed: '{title} now signs people in somewhere else. Connect again.',
  issuer_mismatch: 'The answer does not come from {title}.',
  issuer_missing: 'The answer does not say whether it comes from {title}.',
  metadata_elsewhere: '{title} keeps the description of its login at another site, which Assent does not believe.',
  no_authorization_server: '{title} does not say where people sign in.',
  no_metadata: '{title} does not describe how to sign in.',
  no_pkce: '{title} does not protect the way back with PKCE (S256), which Assent needs.',
  no_registration: '{title} does not let Assent register by itself.',
  no_resource_metadata: '{title} wants a login, and does not say where people sign in.',
  nonce_mismatch: 'The answer of {title} does not belong to this sign-in. Start again.',
  provider_error: '{title} answered with an error.',
  registration_refused: '{title} did not let Assent register.',
  rate_limited: '{title} gets too many requests. Try again later.',
  resource_differs: '{title} describes the login of another address than its own, so its tokens could be misused.',
  redirected: '{title} redirects to another address, which Assent does not follow.',
  server_error: '{title} has an internal error. Try again later.',
  state_mismatch: 'The answer of {title} does not belong to this sign-in. Start again.',
  timed_out: '{title} did not answer in time. Try again later.',
  too_large: '{title} sent an answer that is too long.',
  unreachable: '{title} could not be reached.',
} as const

/** Thrown inside `oauth/` only. Its exported functions turn it into a value. */
export class OAuthFailed extends Error {
  readonly failure: Failure
  constructor(failure: Failure, cause?: unknown) {
    super(failure.reason, cause === undefined ? undefined : { cause })
    this.name = 'OAuthFailed'
    this.failure = failure
  }
}

/**
 * The message for people. The server's own words are quoted and made safe to show. They are left out when they hold one of
 * `secrets`, since servers may repeat what they were sent.
 */
export function tellFailure(title: string, { reason, said, remedy }: Failure, secrets: readonly string[]): string {
  const told = messages[reason].replaceAll('{title}', () => title)
  const message = remedy === undefined ? told : `${told} ${remedy}`
  if (said === undefined || said === '' || holdsOneOf(said, secrets)) return message
  return `${message} It said: “${visibleLine(said).replace(/["“”]/g, "'")}”`
}

/** The failure behind whatever was thrown during a request to an OAuth server. */
export function failureOf(error: unknown): Failure {
  if (error instanceof OAuthFailed) return error.failure
  if (error instanceof FetchFailed) return { reason: error.reason }
  if (error instanceof ResponseBodyError) return failureOfError(error.status, error.error, error.error_description)
  if (error instanceof AuthorizationResponseError) return { reason: 'provider_error', error: error.error }
  // A challenge of a token endpoint concerns the authentication of the client.
  if (error instanceof WWWAuthenticateChallengeError) return { reason: 'invalid_client', error: 'invalid_client' }
  if (error instanceof ClientError) return failureOfClient(error)
  return { reason: 'bad_answer' }
}

/** The failure that an HTTP status means by itself, if any. */
export function failureOfStatus(status: number): Failure | undefined {
  if (status === 429) return { reason: 'rate_limited' }
  return status >= 500 ? { reason: 'server_error' } : undefined
}

function failureOfError(status: number, error: string, said: string | undefined): Failure {
  const words = { error, ...(said !== undefined && { said }) }
  const byStatus = failureOfStatus(status)
  if (byStatus) return { ...byStatus, ...words }
  return { reason: reasonOf(error), ...words }
}

/** Error codes of RFC 6749, and the names that GitHub and Slack have for some of them. */
function reasonOf(error: string): FailureReason {
  switch (error) {
    case 'invalid_grant':
    case 'bad_verification_code':
    case 'bad_refresh_token':
    case 'invalid_code':
    case 'code_already_used':
    case 'invalid_refresh_token':
    case 'token_expired':
    case 'token_revoked':
      return 'invalid_grant'
    case 'invalid_client':
    case 'unauthorized_client':
    case 'incorrect_client_credentials':
    case 'invalid_client_id':
    case 'bad_client_secret':
      return 'invalid_client'
    case 'server_error':
    case 'temporarily_unavailable':
    case 'fatal_error':
    case 'internal_error':
    case 'service_unavailable':
      return 'server_error'
    case 'slow_down':
    case 'ratelimited':
      return 'rate_limited'
    default:
      return 'provider_error'
  }
}

function failureOfClient(error: ClientError): Failure {
  const { cause, code } = error
  if (cause instanceof FetchFailed) return { reason: cause.reason }
  if (cause instanceof Response) return failureOfStatus(cause.status) ?? { reason: 'bad_answer' }
  const details = (cause as { cause?: { claim?: string; claims?: Record<string, unknown> } } | undefined)?.cause
  switch (code) {
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return { reason: claimReasons[details?.claim ?? ''] ?? 'bad_id_token' }
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
    case 'OAUTH_KEY_SELECTION_FAILED':
      return { reason: 'bad_id_token' }
    default:
      return { reason: details?.claims === undefined ? 'bad_answer' : 'bad_id_token' }
  }
}

const claimReasons: Readonly<Record<string, FailureReason>> = {
  aud: 'audience_mismatch',
  azp: 'audience_mismatch',
  iss: 'issuer_mismatch',
  nonce: 'nonce_mismatch',
}

function holdsOneOf(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret !== '' && (text.includes(secret) || text.includes(encodeURIComponent(secret))))
}
