import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { refusal } from '../replies.ts'

/** What of a request is looked at. */
export interface Guarded {
  readonly url: string
  readonly headers: Pick<Headers, 'get' | 'has'>
}

/** Says why a request may not come in, or nothing when it may. */
export type Guard = (request: Guarded) => Response | undefined

export interface Allowed {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** Keeps out what came under a name that is not ours, as when a foreign name was made to lead to this machine. */
export function guardHosts(hosts: Allowed['hosts']): Guard {
  const allowedHosts = [...localhostAllowedHostnames(), ...hosts]
  return ({ headers, url }) => {
    // Some runtimes show the host in the url alone.
    const host = validateHostHeader(headers.get('host') ?? new URL(url).host, allowedHosts)
    return host.ok ? undefined : refusal(403, host.message)
  }
}

/** Keeps out what a browser was tricked into sending: a foreign name for this machine, a foreign page (H26-01, H11-10). */
export function guardAgainstRebinding({ hosts, origins }: Allowed): Guard {
  const guardHost = guardHosts(hosts)
  const allowedOrigins = [...localhostAllowedOrigins(), ...origins]
  return (request) => {
    const refused = guardHost(request)
    if (refused) return refused
    const origin = validateOriginHeader(request.headers.get('origin'), allowedOrigins)
    return origin.ok ? undefined : refusal(403, origin.message)
  }
}

/** Without login whoever reaches us is the local person, so what was passed on from elsewhere stays out. */
export const guardLocal: Guard = ({ headers }) =>
  headers.has('forwarded') || headers.has('x-forwarded-for') ? notLocal() : undefined

export const notLocal = () =>
  refusal(403, 'This server has no login and serves this machine only. Configure a login to serve others.')

/** Whether a socket's far end is this machine. A socket that is gone has no address, and counts as elsewhere. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)
}
