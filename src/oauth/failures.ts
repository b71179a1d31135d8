import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { FetchFailed } from '../base/guarded-fetch.ts'
import { visibleLine } from '../base/text/visible-text.ts'

/** Why something could not be had from an OAuth server: a stable word, and what the server said, not yet made safe. */
export interface Failure {
  readonly reason: FailureReason
  /** The OAuth error code, where the server gave one. */
  readonly error?: string
  readonly said?: string
}

export type FailureReason = keyof typeof messages

/** `{title}` is what people call the server. */
const messages = {
  address_refused: '{title} names an address that may not be used.',
  audience_mismatch: '{title} answered for another client.',
  bad_answer: '{title} gave an answer that cannot be read.',
  bad_id_token: '{title} gave a proof of identity that does not hold.',
  invalid_client: '{title} does not accept this installation. Whoever runs it must check its client id and secret.',
  invalid_grant: '{title} did not take the code it had given. Start again.',
  issuer_mismatch: 'The answer comes from somebody else than {title}.',
  issuer_missing: 'The answer does not say that it comes from {title}.',
  no_metadata: '{title} does not say how to sign in there.',
  nonce_mismatch: 'The answer of {title} does not belong to this visit. Start again.',
  provider_error: '{title} ended the visit with an error.',
  rate_limited: '{title} is asked too often. Try again later.',
  redirected: '{title} points to another address, which is not followed.',
  server_error: '{title} has a problem of its own. Try again later.',
  state_mismatch: 'The answer of {title} does not belong to this visit. Start again.',
  timed_out: '{title} did not answer in time.',
  too_large: '{title} gave an answer that is too long.',
  unreachable: '{title} could not be reached.',
} as const

/** Thrown within this room only; whoever speaks to the outside turns it into a value. */
export class OAuthFailed extends Error {
  readonly failure: Failure
  constructor(failure: Failure, cause?: unknown) {
    super(failure.reason, cause === undefined ? undefined : { cause })
    this.name = 'OAuthFailed'
    this.failure = failure
  }
}

/**
 * What people are told. The server's own words are quoted and made harmless, and left out altogether where they hold
 * one of `secrets`: servers echo what they were sent.
 */
export function tellFailure(title: string, { reason, said }: Failure, secrets: readonly string[]): string {
  const message = messages[reason].replaceAll('{title}', () => title)
  if (said === undefined || said === '' || holdsOneOf(said, secrets)) return message
  return `${message} It said: “${visibleLine(said).replace(/["“”]/g, "'")}”`
}

/** Reads what went wrong out of whatever was thrown while an OAuth server was spoken with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof OAuthFailed) return error.failure
  if (error instanceof FetchFailed) return { reason: error.reason }
  if (error instanceof ResponseBodyError) return failureOfError(error.status, error.error, error.error_description)
  if (error instanceof AuthorizationResponseError) return { reason: 'provider_error', error: error.error }
  // A challenge at a token endpoint is about the client's authentication.
  if (error instanceof WWWAuthenticateChallengeError) return { reason: 'invalid_client', error: 'invalid_client' }
  if (error instanceof ClientError) return failureOfClient(error)
  return { reason: 'bad_answer' }
}

/** What an HTTP status alone says; undefined: nothing. */
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

/** Errors of RFC 6749, and GitHub's own names for some of them. */
function reasonOf(error: string): FailureReason {
  switch (error) {
    case 'invalid_grant':
    case 'bad_verification_code':
    case 'bad_refresh_token':
      return 'invalid_grant'
    case 'invalid_client':
    case 'unauthorized_client':
    case 'incorrect_client_credentials':
      return 'invalid_client'
    case 'server_error':
    case 'temporarily_unavailable':
      return 'server_error'
    case 'slow_down':
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
