import { isPlainObject } from '../../base/json.ts'
import type { Member } from '../options.ts'
import type { SpaceDesk } from '../space/desk.ts'
import { type Envelope, onBehalfKey } from '../wire/envelope.ts'
import type { HubProblem } from '../wire/write.ts'

/** On whose behalf a request is made. */
export interface Chain {
  /** The agents before the sender, outermost first. */
  readonly agents: readonly string[]
  /** Who began it. */
  readonly root: string
}

/**
 * Finds out on whose behalf a participant makes a request. A call that it names must be one that it has to answer. If it
 * names none, it is taken to act for everybody whose calls it has not answered, if those are of one person: nobody is asked
 * about what another wants. `null` says that it acts for itself.
 */
export function chainOf(
  { requests, limits, members }: Pick<SpaceDesk, 'requests' | 'limits' | 'members'>,
  from: string,
  target: string,
  envelope: Envelope,
): Chain | HubProblem {
  const named = namedIn(envelope)
  const waiting = requests.waitingFor(from).filter(({ details }) => details.method === 'tools/call')
  const behind = named === null ? [] : named === undefined ? waiting : waiting.filter(({ id }) => id === named)
  if (typeof named === 'string' && behind.length === 0) {
    const message = `You name the call "${named}" as the one you act for, and have no such call to answer.`
    return { code: 'bad-request', message, correlationId: envelope.id }
  }
  const people = behind.map(({ details }) => personBehind(members, details.root))
  if (new Set(people.map((one) => (one?.kind === 'human' ? one.id : undefined))).size > 1) {
    const message = `You answer calls of several people. Name the one you act for in _meta["${onBehalfKey}"].`
    return { code: 'bad-request', message, correlationId: envelope.id, data: { reason: 'for-several' } }
  }
  const agents = [...new Set(behind.flatMap((request) => [...request.details.agents, request.from]))]
  if (agents.includes(target)) {
    const message = `This is a loop: ${target} waits for the call that you are answering.`
    return { code: 'bad-request', message, correlationId: envelope.id, data: { reason: 'loop' } }
  }
  if (agents.length >= limits.chain) {
    const message = `A call comes through at most ${limits.chain} agents.`
    return { code: 'bad-request', message, correlationId: envelope.id, data: { reason: 'chain-too-long' } }
  }
  return { agents, root: behind[0]?.details.root ?? from }
}

/** The person for whom a chain began, or the one that began it for nobody. Undefined: the settings know it no more. */
export function personBehind(members: SpaceDesk['members'], root: string): Member | undefined {
  const member = members.get(root)
  return member?.for === undefined ? member : members.get(member.for)
}

function namedIn({ payload }: Envelope): string | null | undefined {
  const { params } = payload
  const meta = isPlainObject(params) ? params._meta : undefined
  const named = isPlainObject(meta) ? meta[onBehalfKey] : undefined
  return typeof named === 'string' || named === null ? named : undefined
}
