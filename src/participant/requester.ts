import { digest } from '../base/canonical.ts'
import { localParticipant, type ParticipantId } from './participant.ts'

/** Who wants something: a participant and the client that acts for them. A yes for one client is not a yes for another. */
export interface Requester {
  participant: ParticipantId
  /** `client_id` or `azp` of the token, else the session, else `local`. */
  client: string
  /** What the client calls itself: for people to read, never to decide by. */
  clientName?: string
  /** The agents the client acts for, outermost first. */
  agents?: readonly string[]
}

/** The requester of an installation without login. */
export const localRequester: Requester = { participant: localParticipant, client: 'local' }

/** Equal exactly for the same participant, client and agents; what a client calls itself changes nothing. */
export function requesterKey(requester: Readonly<Requester>): string {
  const known = keys.get(requester)
  if (known !== undefined) return known
  const { participant, client, agents = [] } = requester
  const key = digest([participant, client, [...agents]])
  keys.set(requester, key)
  return key
}

/** Whether the client acts for agents of its own. */
export function hasAgents({ agents = [] }: Readonly<Requester>): boolean {
  return agents.length > 0
}

// A requester is mostly the same object for all calls of a session, and a digest is dear on the way of each.
const keys = new WeakMap<Readonly<Requester>, string>()
