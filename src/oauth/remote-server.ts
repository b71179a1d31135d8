import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '../base/clock.ts'
import { guardedFetch, type Reach } from '../base/guarded-fetch.ts'
import { loginAddress } from './address.ts'
import { conforming } from './conforming.ts'
import { type Discovered, discover, discoveredAddress } from './discover.ts'
import { OAuthFailed } from './failures.ts'

/** Where an OAuth server is: its issuer says it all, or its parts are given one by one. */
export type ServerAddress =
  | { readonly issuer: string }
  | {
      readonly issuer?: string
      readonly authorizationEndpoint: string
      readonly tokenEndpoint: string
      readonly revocationEndpoint?: string
      readonly userinfoEndpoint?: string
    }

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'none'

/** Whom we are at that server. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** Default: `client_secret_basic` with a secret, `none` without one. */
  readonly clientAuthentication?: ClientAuthentication
}

/** An OAuth server, as far as it is known now. */
export interface KnownServer {
  readonly configuration: Configuration
  /** Undefined: nobody said, so nothing that names an issuer can be checked, and id tokens are not read. */
  readonly issuer: string | undefined
  /** Whether it promised to say in each answer who it is (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly reach: Reach
  readonly userinfoEndpoint: URL | undefined
}

export interface ServerParts {
  readonly clock: Clock
  /** For each request. Default: 5 s. */
  readonly timeoutMs?: number
  /** Whether the signature of id tokens is checked, besides that they come from the server itself. */
  readonly checkSignatures?: boolean
}

const keptFor = 3_600_000

/** Gives a server as it is known: looked up at first need, kept for an hour, tried again after a failure. */
export function remoteServer(
  address: ServerAddress,
  client: OAuthClient,
  parts: ServerParts,
): () => Promise<KnownServer> {
  const { clock, timeoutMs } = parts
  if ('tokenEndpoint' in address) {
    const known = knowFrom(givenServer(address), client, parts)
    return async () => known
  }

  let kept: { server: Promise<KnownServer>; until: number } | undefined
  return () => {
    const now = clock.now().getTime()
    if (kept !== undefined && now < kept.until) return kept.server
    const server = discover(address.issuer, timeoutMs).then((found) => knowFrom(found, client, parts))
    const mine = { server, until: now + keptFor }
    kept = mine
    server.catch(() => {
      if (kept === mine) kept = undefined
    })
    return server
  }
}

function givenServer(given: Extract<ServerAddress, { tokenEndpoint: string }>): Discovered {
  return {
    reach: 'anywhere',
    metadata: {
      ...(given.issuer !== undefined && { issuer: given.issuer }),
      authorization_endpoint: given.authorizationEndpoint,
      token_endpoint: given.tokenEndpoint,
      ...(given.revocationEndpoint !== undefined && { revocation_endpoint: given.revocationEndpoint }),
      ...(given.userinfoEndpoint !== undefined && { userinfo_endpoint: given.userinfoEndpoint }),
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    },
  }
}

function knowFrom(found: Discovered, client: OAuthClient, { timeoutMs, checkSignatures }: ServerParts): KnownServer {
  const { metadata, reach } = found
  const addresses = Object.fromEntries(
    endpoints.flatMap((name) => {
      const url = discoveredAddress(found, name)
      return url === undefined ? [] : [[name, url.href]]
    }),
  )
  if (addresses.authorization_endpoint === undefined || addresses.token_endpoint === undefined) {
    throw new OAuthFailed({ reason: 'no_metadata' })
  }

  const issuer = typeof metadata.issuer === 'string' ? metadata.issuer : undefined
  const server = {
    // It wants one; where there is none, nothing that would be held against it is let through.
    issuer: issuer ?? new URL(addresses.token_endpoint).origin,
    ...addresses,
    ...(Array.isArray(metadata.id_token_signing_alg_values_supported) && {
      id_token_signing_alg_values_supported: metadata.id_token_signing_alg_values_supported.filter(isAsymmetric),
    }),
  } as ServerMetadata
  const configuration = new Configuration(server, client.clientId, undefined, authenticationOf(client))
  configuration.timeout = undefined
  configuration[customFetch] = conforming(guardedFetch({ reach, ...(timeoutMs !== undefined && { timeoutMs }) }), {
    tokenEndpoint: addresses.token_endpoint,
    dropIdToken: issuer === undefined,
  })
  // The guard judges http more strictly: on this machine, or not at all.
  allowInsecureRequests(configuration)
  if (checkSignatures) enableNonRepudiationChecks(configuration)

  return {
    configuration,
    issuer,
    sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
    reach,
    userinfoEndpoint: addresses.userinfo_endpoint === undefined ? undefined : loginAddress(addresses.userinfo_endpoint),
  }
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'userinfo_endpoint', 'jwks_uri']

// With a shared secret, whoever can check a token can make one.
const isAsymmetric = (algorithm: unknown) => typeof algorithm === 'string' && /^(RS|PS|ES|Ed)/.test(algorithm)

function authenticationOf({ clientSecret, clientAuthentication }: OAuthClient): ClientAuth {
  if (clientSecret === undefined) return None()
  switch (clientAuthentication ?? 'client_secret_basic') {
    case 'client_secret_basic':
      return ClientSecretBasic(clientSecret)
    case 'client_secret_post':
      return ClientSecretPost(clientSecret)
    case 'none':
      return None()
  }
}
