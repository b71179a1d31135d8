import { type Requester, requesterKey } from '../../participant/requester.ts'
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
export function visitorKey({ requester, lane = '', capabilities, clientInfo = null as never }: Visitor): string {
  return JSON.stringify([keyOf(requester), lane, capabilities, clientInfo])
}

/** Equal exactly for those who may share a process: a secret in its environment is one requester's. */
export function processKey(visitor: Visitor): string {
  return `${secretOf(visitor)}${visitorKey(visitor)}`
}

/** As `processKey`, where requests stand alone and only a secret keeps requesters apart. */
export function sharedProcessKey(visitor: Visitor): string {
  const secret = secretOf(visitor)
  return secret === '' ? 'shared' : `${secret}${keyOf(visitor.requester)}`
}

function secretOf({ credential }: Visitor): string {
  return credential !== undefined && 'env' in credential ? JSON.stringify([credential.env, credential.value]) : ''
}

const keys = new WeakMap<Requester, string>()

// A requester is the same object for all requests of a session, and a digest is dear on the way of each.
function keyOf(requester: Requester): string {
  const known = keys.get(requester)
  if (known !== undefined) return known
  const key = requesterKey(requester)
  keys.set(requester, key)
  return key
}
