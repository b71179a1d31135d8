import { digest } from '../base/canonical.ts'
import type { NamedClient } from '../base/text/names.ts'
import { localParticipant, type ParticipantId } from './participant.ts'

/** Who wants something: a participant and the client that acts for them. A yes for one client is not a yes for another. */
export interface Requester {
  participant: ParticipantId
  /** `client_id` or `azp` of the token. Without a login what the client calls itself, which is not proven, else `local`. */
  client: string
  /** What the client calls itself: for people to read, never to decide by. */
  clientName?: string
  /** The agents that it comes through, outermost first; the client is the last of them where it is an agent itself. */
  agents?: readonly string[]
}

/** The requester of an installation without login. */
export const localRequester: Requester = { participant: localParticipant, client: 'local' }

const longestName = 200

/**
 * The client without a login: the same program keeps its grants across sessions, restarts and revisions. It is only what the
 * program calls itself, and is said so wherever people read it.
 */
export function clientNamed(name: string | undefined): string {
  const text = name?.toWellFormed() ?? ''
  if (text.trim() === '') return localRequester.client
  return text.length <= longestName ? text : `${text.slice(0, longestName)} ${digest(text).slice(0, 22)}`
}

/**
 * A client, and what is known of it. Without a login that is its name at most, and any program can give itself a name; an
 * agent of a space is known by its token.
 */
export function namedClient({
  participant,
  client: id,
  clientName: name,
  agents = [],
}: Readonly<Requester>): NamedClient {
  return { id, ...(name !== undefined && { name }), known: agents.includes(id) ? 'verified' : knownBy(participant, id) }
}

function knownBy(participant: ParticipantId, client: string): NamedClient['known'] {
  if (participant !== localParticipant) return 'verified'
  return client === localRequester.client ? 'anyone' : 'named'
}

/** Equal exactly for the same participant, client and agents; what a client calls itself changes nothing. */
export function requesterKey(requester: Readonly<Requester>): string {
  const known = keys.get(requester)
  if (known !== undefined) return known
  const { participant, client, agents = [] } = requester
  const key = digest([participant, client, [...agents]])
  keys.set(requester, key)
  return key
}

/** The agents for which the client acts, outermost first. */
export function agentsBehind({ client, agents = [] }: Readonly<Requester>): readonly string[] {
  return agents.filter((agent) => agent !== client)
}

// A requester is mostly the same object for all calls of a session, and a digest is dear on the way of each.
const keys = new WeakMap<Readonly<Requester>, string>()
