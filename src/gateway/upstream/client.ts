import type { JsonObject } from '../../base/json.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { DownstreamClient } from './upstream.ts'

/** The visitor of a request, and nothing else of it: what outlives the request must not hold it. */
export function clientOf({
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

/** Equal exactly for those who may share a 2025 session: same requester, lane, capabilities and client. */
export function clientKey({ requester, sessionKey = '', capabilities, clientInfo }: DownstreamClient): string {
  const known = keys.get(capabilities)
  if (known?.requester === requester && known.sessionKey === sessionKey && known.clientInfo === clientInfo)
    return known.key
  const key = JSON.stringify([requesterKey(requester), sessionKey, capabilities, clientInfo ?? null])
  keys.set(capabilities, { requester, sessionKey, clientInfo, key })
  return key
}

// The same objects stand for the same visitor at each of their calls, and spelling them out is dear on the way of each.
const keys = new WeakMap<
  JsonObject,
  Pick<DownstreamClient, 'requester' | 'sessionKey' | 'clientInfo'> & { readonly key: string }
>()

/** Equal exactly for those who may share a process: a secret in its environment is one requester's. */
export function processKey(client: DownstreamClient): string {
  return `${secretOf(client)}${clientKey(client)}`
}

/** As `processKey`, where requests stand alone and only a secret keeps requesters apart. */
export function sharedProcessKey(client: DownstreamClient): string {
  const secret = secretOf(client)
  return secret === '' ? 'shared' : `${secret}${requesterKey(client.requester)}`
}

function secretOf({ credential }: DownstreamClient): string {
  return credential !== undefined && 'env' in credential ? JSON.stringify([credential.env, credential.value]) : ''
}
