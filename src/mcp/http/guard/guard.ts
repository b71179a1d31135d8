import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server'
import { acceptHosts, type RequestHead, wasForwarded } from '../../../base/request-source.ts'
import { refusal } from '../replies.ts'

/** Gives the refusal of a request that may not come in; undefined when it may. */
export type Guard = (request: RequestHead) => Response | undefined

export interface Allowed {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** Refuses what a browser was tricked into sending: a foreign Host (DNS rebinding) or a foreign Origin (H26-01, H11-10). */
export function guardAgainstRebinding({ hosts, origins }: Allowed): Guard {
  const isHostAccepted = acceptHosts(hosts)
  const allowedOrigins = [...localhostAllowedOrigins(), ...origins]
  return (request) => {
    if (!isHostAccepted(request)) return refusal(403, 'This host name is not served here.')
    const origin = validateOriginHeader(request.headers.get('origin'), allowedOrigins)
    return origin.ok ? undefined : refusal(403, origin.message)
  }
}

/** Without a login every sender is the local person, so requests that a proxy forwarded are refused. */
export const guardLocal: Guard = (request) => (wasForwarded(request) ? notLocal() : undefined)

export const notLocal = () =>
  refusal(403, 'This server has no login and serves this machine only. Configure a login to serve others.')
