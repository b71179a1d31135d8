import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  ResponseBodyError,
} from 'oauth4webapi'
import { type GuardedRequest, guardedFetch } from '../../base/guarded-fetch.ts'
import type { RegisteredClient } from '../../connection/registration/registration.ts'
import { type Discovered, discoveredAddress } from '../discover.ts'
import { OAuthFailed } from '../failures.ts'
import type { ClientAuthentication } from '../remote-server.ts'

/** The client that a server made for us. */
type NewClient = Omit<RegisteredClient, 'redirectUri'>

/** What a server is told of us, apart from how we show who we are. */
export interface ClientDescription {
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly response_types: readonly string[]
  readonly application_type: 'web' | 'native'
  readonly client_uri?: string
}

/** Describes this installation. Servers allow http callbacks on this machine to native applications only. */
export function describeClient(title: string, redirectUri: string): ClientDescription {
  const { origin, protocol } = new URL(redirectUri)
  return {
    client_name: title,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: protocol === 'https:' ? 'web' : 'native',
    ...(protocol === 'https:' && { client_uri: origin }),
  }
}

/** Registers this installation at a server, by RFC 7591. */
export async function register(
  found: Discovered,
  endpoint: URL,
  description: ClientDescription,
  timeoutMs: number | undefined,
): Promise<NewClient> {
  const fetch = guardedFetch({ reach: found.reach, ...(timeoutMs !== undefined && { timeoutMs }) })
  const server = { issuer: String(found.metadata.issuer), registration_endpoint: endpoint.href } as AuthorizationServer
  const metadata = { ...description, token_endpoint_auth_method: authenticationAt(found) }
  try {
    const response = await dynamicClientRegistrationRequest(server, metadata as never, {
      [customFetch]: (url, request) => fetch(url, request as GuardedRequest),
      // The guarded fetch is stricter about http: it allows it on this machine only.
      [allowInsecureRequests]: true,
    })
    return clientIn(await processDynamicClientRegistrationResponse(response), metadata.token_endpoint_auth_method)
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) throw error
    const said = error.error_description ?? error.error
    throw new OAuthFailed({ reason: 'registration_refused', error: error.error, said }, error)
  }
}

/** A public client if the server takes one: PKCE protects its codes, and there is no secret to lose. */
function authenticationAt({ metadata }: Discovered): ClientAuthentication {
  const known = metadata.token_endpoint_auth_methods_supported
  const usable: readonly ClientAuthentication[] = ['none', 'client_secret_basic', 'client_secret_post']
  if (!Array.isArray(known)) return 'none'
  const first = usable.find((one) => known.includes(one))
  if (first === undefined) throw new OAuthFailed({ reason: 'registration_refused' })
  return first
}

type Answer = Awaited<ReturnType<typeof processDynamicClientRegistrationResponse>>

function clientIn(answer: Answer, asked: ClientAuthentication): NewClient {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: seconds } = answer
  const said = answer.token_endpoint_auth_method ?? asked
  const authentication = (['none', 'client_secret_basic', 'client_secret_post'] as const).find((one) => one === said)
  if (authentication === undefined || (authentication !== 'none' && typeof secret !== 'string')) {
    throw new OAuthFailed({ reason: 'registration_refused' })
  }
  if (authentication === 'none') return { clientId, authentication }
  const expires = typeof seconds === 'number' && seconds > 0 ? { expiresAt: new Date(seconds * 1_000) } : {}
  return { clientId, authentication, clientSecret: secret as string, ...expires }
}

/** Where a server registers clients; undefined where it does not. Throws when the address may not be used. */
export const registrationEndpoint = (found: Discovered) => discoveredAddress(found, 'registration_endpoint')
