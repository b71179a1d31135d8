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
import type { Quirks } from './settings/quirks.ts'

/** How to find an OAuth server: by its issuer, whose metadata names the endpoints, or by the endpoints themselves. */
export type ServerAddress =
  | { readonly issuer: string }
  /** Its metadata was read already. */
  | { readonly discovered: Discovered }
  | {
      readonly issuer?: string
      readonly authorizationEndpoint: string
      readonly tokenEndpoint: string
      readonly revocationEndpoint?: string
      readonly userinfoEndpoint?: string
    }

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'none'

/** The client that Assent is at that server. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** Default: `client_secret_basic` with a secret, `none` without one. */
  readonly clientAuthentication?: ClientAuthentication
}

/** An OAuth server whose endpoints are known. */
export interface KnownServer {
  readonly configuration: Configuration
  /** Undefined when neither settings nor metadata name one. Then `iss` cannot be checked, and id tokens are not read. */
  readonly issuer: string | undefined
  /** Whether its metadata promises the `iss` parameter in each authorization response (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly reach: Reach
  readonly userinfoEndpoint: URL | undefined
}

export interface ServerParts {
  readonly clock: Clock
  /** The limit for each request. Default: 5 s. */
  readonly timeoutMs?: number
  /** Whether signatures of id tokens are checked. OpenID Connect leaves this open for tokens that the server itself sends. */
  readonly checkSignatures?: boolean
  /** How its token responses differ from the standard. */
  readonly personalTokens?: Quirks['personalTokens']
}

const keptFor = 3_600_000

/** Finds a server at first use. The result is cached for an hour; after a failure the next use tries again. */
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

  if ('discovered' in address) {
    const known = knowFrom(address.discovered, client, parts)
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

function knowFrom(found: Discovered, client: OAuthClient, parts: ServerParts): KnownServer {
  const { timeoutMs, checkSignatures, personalTokens } = parts
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
    // openid-client needs an issuer. Where none is known, this one is never compared: id tokens and `iss` are removed before.
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
    personalTokens,
  })
  // The guarded fetch is stricter about http: it allows it on this machine only.
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

// With a symmetric algorithm, everybody who can check a token could also forge one.
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
