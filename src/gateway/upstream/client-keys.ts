import type { JsonObject } from '../../base/json.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { DownstreamClient } from './upstream.ts'

/** The client fields of a request, copied, so that a session or process does not keep the request in memory. */
export function downstreamClientOf({
  requester,
  sessionKey,
  capabilities,
  clientInfo,
  credential,
}: DownstreamClient): DownstreamClient {
  return {
    requester,
    capabilities,
    ...(sessionKey !== undefined && { sessionKey }),
    ...(clientInfo !== undefined && { clientInfo }),
    ...(credential !== undefined && { credential }),
  }
}

/**
 * Equal exactly for clients that may share a 2025 session: same requester, session key, capabilities and client info.
 */
export function clientKey({ requester, sessionKey = '', capabilities, clientInfo }: DownstreamClient): string {
  const known = keys.get(capabilities)
  if (known?.requester === requester && known.sessionKey === sessionKey && known.clientInfo === clientInfo)
    return known.key
  const key = JSON.stringify([requesterKey(requester), sessionKey, capabilities, clientInfo ?? null])
  keys.set(capabilities, { requester, sessionKey, clientInfo, key })
  return key
}

// Each call of a client brings the same objects, and serialising them on every call would be expensive.
const keys = new WeakMap<
  JsonObject,
  Pick<DownstreamClient, 'requester' | 'sessionKey' | 'clientInfo'> & { readonly key: string }
>()

/** Equal exactly for clients that may share a process. A secret in the environment belongs to one requester. */
export function processKey(client: DownstreamClient): string {
  return `${environmentSecretOf(client)}${clientKey(client)}`
}

/** As `processKey`, for 2026-07-28 servers, where only a secret in the environment keeps requesters apart. */
export function sharedProcessKey(client: DownstreamClient): string {
  const secret = environmentSecretOf(client)
  return secret === '' ? 'shared' : `${secret}${requesterKey(client.requester)}`
}

function environmentSecretOf({ credential }: DownstreamClient): string {
  return credential !== undefined && 'env' in credential ? JSON.stringify([credential.env, credential.value]) : ''
}
