import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { refusal } from './replies.ts'

/** Says why a request may not come in, or nothing when it may. */
export type Guard = (request: Request) => Response | undefined

export interface Allowed {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** Keeps out what a browser was tricked into sending: a foreign name for this machine, a foreign page (H26-01, H11-10). */
export function guardAgainstRebinding({ hosts, origins }: Allowed): Guard {
  const allowedHosts = [...localhostAllowedHostnames(), ...hosts]
  const allowedOrigins = [...localhostAllowedOrigins(), ...origins]
  return ({ headers, url }) => {
    // Some runtimes show the host in the url alone.
    const host = validateHostHeader(headers.get('host') ?? new URL(url).host, allowedHosts)
    if (!host.ok) return refusal(403, host.message)
    const origin = validateOriginHeader(headers.get('origin'), allowedOrigins)
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
