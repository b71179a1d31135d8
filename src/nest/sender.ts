import type { IncomingMessage } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/server'
import { isLocalSocket } from '../base/request-source.ts'
import { guardAgainstRebinding, guardLocal } from '../mcp/http/guard/guard.ts'
import type { Person } from '../participant/identify.ts'
import { participantId } from '../participant/participant.ts'

/** A user as a guard leaves it at the request, after it verified who sent it: mostly the claims of a token. */
export interface VerifiedUser {
  readonly sub: string
  /** Who names people `sub`. Default: the module's `issuer`. */
  readonly iss?: string
  readonly groups?: readonly string[]
  /** The client that acts for the user. */
  readonly client_id?: string
  readonly azp?: string
}

/** Who sent an MCP request. */
export type RequestSender =
  | { readonly kind: 'verified'; readonly authInfo: AuthInfo; readonly sub: string }
  /** The one person of an application without users, on this machine. */
  | { readonly kind: 'local' }
  /** Nobody can tell. Tools run, and cannot ask. */
  | { readonly kind: 'unknown' }

/** How an application knows people. */
export interface People {
  /** Whether requests name users. Otherwise there is one person, on this machine. */
  readonly hasUsers: boolean
  readonly issuer: string
  userOf(request: unknown): VerifiedUser | undefined
}

const loggedIn = new WeakSet<object>()

/** Remembers that the sender of a request is verified by Assent's own login, before any handler runs. */
export function rememberLogin(request: object): void {
  loggedIn.add(request)
}

/**
 * Reads what a guard verified, never what the request says of itself. `request` is undefined over stdio. `authInfo` counts
 * only where Assent's own login has made it.
 */
export function senderOf(people: People, request: unknown, authInfo?: AuthInfo): RequestSender {
  if (typeof request !== 'object' || request === null) return { kind: 'local' }
  if (loggedIn.has(request)) return byLogin(authInfo)
  const user = people.userOf(request)
  const person = user && personFrom(people, user)
  if (user === undefined || person === undefined) {
    return !people.hasUsers && isOnThisMachine(request as IncomingMessage) ? { kind: 'local' } : { kind: 'unknown' }
  }
  const clientId = user.client_id ?? user.azp ?? 'unnamed'
  return { kind: 'verified', sub: user.sub, authInfo: { token: '', clientId, scopes: [], extra: { ...person } } }
}

function byLogin(authInfo: AuthInfo | undefined): RequestSender {
  const participant = authInfo?.extra?.participant
  if (authInfo === undefined || typeof participant !== 'string') return { kind: 'unknown' }
  return { kind: 'verified', authInfo, sub: decodeURIComponent(participant.split('@')[0] as string) }
}

/** The participant that a verified user is; undefined for a user without a subject. */
export function personFrom({ issuer }: Pick<People, 'issuer'>, { sub, iss, groups }: VerifiedUser): Person | undefined {
  if (typeof sub !== 'string' || sub === '' || !sub.isWellFormed()) return undefined
  const named = typeof iss === 'string' && iss !== '' ? iss : issuer
  const list = Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : []
  return { participant: participantId({ issuer: named, subject: sub }), groups: list }
}

/** The user that a guard or a middleware has set. */
export function userOfRequest(request: unknown): VerifiedUser | undefined {
  const { user } = request as { user?: unknown }
  return typeof user === 'object' && user !== null ? (user as VerifiedUser) : undefined
}

const guardNames = guardAgainstRebinding({ hosts: [], origins: [] })

/** Neither from another machine, nor through a proxy, nor sent by a page of another site. */
function isOnThisMachine({ socket, headers, url }: IncomingMessage): boolean {
  // Not `Headers`, which costs more than the rest of this, on the way of every call.
  const get = (name: string) => (headers[name] === undefined ? null : String(headers[name]))
  const head = { url: url ?? '/', headers: { get, has: (name: string) => headers[name] !== undefined } }
  return isLocalSocket(socket?.remoteAddress) && guardNames(head) === undefined && guardLocal(head) === undefined
}
