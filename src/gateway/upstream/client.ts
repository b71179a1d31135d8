import type { JsonObject } from '../../base/json.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { Visitor } from './upstream.ts'

/** The visitor of a request, and nothing else of it: what outlives the request must not hold it. */
export function visitorOf({ requester, lane, capabilities, clientInfo, credential }: Visitor): Visitor {
  return {
    requester,
    capabilities,
    ...(lane !== undefined && { lane }),
    ...(clientInfo !== undefined && { clientInfo }),
    ...(credential !== undefined && { credential }),
  }
}

/** Equal exactly for those who may share a 2025 session: same requester, lane, capabilities and client. */
export function visitorKey({ requester, lane = '', capabilities, clientInfo }: Visitor): string {
  const known = keys.get(capabilities)
  if (known?.requester === requester && known.lane === lane && known.clientInfo === clientInfo) return known.key
  const key = JSON.stringify([requesterKey(requester), lane, capabilities, clientInfo ?? null])
  keys.set(capabilities, { requester, lane, clientInfo, key })
  return key
}

// The same objects stand for the same visitor at each of their calls, and spelling them out is dear on the way of each.
const keys = new WeakMap<JsonObject, Pick<Visitor, 'requester' | 'lane' | 'clientInfo'> & { readonly key: string }>()

/** Equal exactly for those who may share a process: a secret in its environment is one requester's. */
export function processKey(visitor: Visitor): string {
  return `${secretOf(visitor)}${visitorKey(visitor)}`
}

/** As `processKey`, where requests stand alone and only a secret keeps requesters apart. */
export function sharedProcessKey(visitor: Visitor): string {
  const secret = secretOf(visitor)
  return secret === '' ? 'shared' : `${secret}${requesterKey(visitor.requester)}`
}

function secretOf({ credential }: Visitor): string {
  return credential !== undefined && 'env' in credential ? JSON.stringify([credential.env, credential.value]) : ''
}
