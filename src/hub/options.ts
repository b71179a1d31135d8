import { BadArgument } from '../base/errors.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { participantId } from '../participant/participant.ts'
import { hubName } from './wire/envelope.ts'

/** What a participant may send, besides answers to what it was asked: a method, `*`, `observe`, or a pattern. */
export type Capability = string | CapabilityPattern

export interface CapabilityPattern {
  /** Methods, with `*` for any text. Left out: every method. */
  readonly method?: string | readonly string[]
  /** Names of tools, for `tools/call`. Left out: every tool. */
  readonly tool?: string | readonly string[]
  /** Whom it may be sent to. Left out: everybody. */
  readonly to?: string | readonly string[]
  /** What matches is refused, whatever else allows it. Default: false. */
  readonly not?: boolean
}

/** Somebody who may join a space. */
export interface ParticipantOptions {
  readonly kind: 'human' | 'agent' | 'robot'
  /** The name for people. Default: the id. */
  readonly name?: string
  /** The secret that joins under this id. Left out: a ticket, or a token of the login, is needed. */
  readonly token?: string
  /** Which person this is: `local`, or `subject@issuer`. For humans. */
  readonly participant?: ParticipantId
  /** The groups of that person, by which rules may name approvers. */
  readonly groups?: readonly string[]
  /** The human for whom an agent acts, by their id in the space. */
  readonly for?: string
  /** Left out: a human may send everything, and an agent only notifications and answers. */
  readonly may?: readonly Capability[]
  /** Who asks before a tool of this agent runs: the hub, by its policy, or the agent itself. Default: hub. */
  readonly asks?: 'hub' | 'itself'
}

export interface SpaceOptions {
  readonly participants: Readonly<Record<string, ParticipantOptions>>
  /** How long envelopes are kept, in milliseconds. Default: 7 days. */
  readonly historyMs?: number
}

/** How much a participant may make the hub do. */
export interface HubLimits {
  /** The largest envelope, in bytes. */
  readonly envelopeBytes: number
  /** Envelopes that one participant may send in a second, on average. */
  readonly envelopesPerSecond: number
  /** Envelopes that it may send at once. */
  readonly burst: number
  /** Bytes that may wait for a participant that does not read. */
  readonly unreadBytes: number
  /** Requests of one participant without an answer. */
  readonly openRequests: number
  /** Connections of all spaces together, those that have not joined yet included. */
  readonly connections: number
  /** Agents that a call may come through, one on behalf of the other. */
  readonly chain: number
  /** The most envelopes that one page of the history holds. */
  readonly historyPage: number
}

export const defaultHubLimits: HubLimits = {
  envelopeBytes: 256 * 1024,
  envelopesPerSecond: 50,
  burst: 200,
  unreadBytes: 4 * 1024 * 1024,
  openRequests: 1_000,
  connections: 2_000,
  chain: 8,
  historyPage: 1_000,
}

/** How long things may take, in milliseconds. */
export interface HubTimes {
  /** Between two signs of life that are asked of a connection. */
  readonly heartbeat: number
  /** How long a request may stay without an answer, not counting the time in which a person is asked. */
  readonly answer: number
  /** How long a ticket may be used. */
  readonly ticket: number
  /** How long an agent may take to say which tools it has. */
  readonly tools: number
}

export const defaultHubTimes: HubTimes = { heartbeat: 20_000, answer: 600_000, ticket: 60_000, tools: 15_000 }

/** A participant with all defaults. */
export interface Member extends Omit<ParticipantOptions, 'may' | 'name' | 'groups' | 'asks'> {
  readonly id: string
  readonly name: string
  readonly groups: readonly string[]
  readonly asks: 'hub' | 'itself'
  readonly may: readonly Capability[]
  /** Who it is to rules, pages and the audit: the person, or the agent of this space. */
  readonly identity: ParticipantId
}

const namePattern = /^[\w.-]{1,64}$/

/** The participants of a space, checked. */
export function membersOf(space: string, { participants }: SpaceOptions): ReadonlyMap<string, Member> {
  if (!namePattern.test(space))
    throw new BadArgument(`A space has a name of 1 to 64 letters, digits or -_. and not "${space}".`)
  const members = new Map(Object.entries(participants).map(([id, options]) => [id, memberOf(space, id, options)]))
  for (const { id, kind, for: person } of members.values()) {
    if (person === undefined) continue
    if (kind === 'human') throw new BadArgument(`${space}/${id} is a human and acts for nobody; leave out "for".`)
    if (members.get(person)?.kind !== 'human') {
      throw new BadArgument(`${space}/${id} acts for "${person}", who is no human of this space.`)
    }
  }
  return members
}

function memberOf(space: string, id: string, options: ParticipantOptions): Member {
  const { kind, name = id, groups = [], may = kind === 'human' ? ['*'] : [], asks = 'hub', participant } = options
  if (!namePattern.test(id) || id === hubName) {
    throw new BadArgument(
      `"${id}" cannot be a participant. Use 1 to 64 letters, digits or -_. other than "${hubName}".`,
    )
  }
  if (kind !== 'human' && participant !== undefined) {
    throw new BadArgument(`${space}/${id} is no human and cannot be a person; name the one it acts for in "for".`)
  }
  const identity = participant ?? agentIdentity(space, id)
  return { ...options, id, name, groups, may, asks, identity }
}

/** Who a participant without a person is, outside of its space. */
export function agentIdentity(space: string, id: string): ParticipantId {
  return participantId({ subject: id, issuer: `hub:${space}` })
}

/** Whether an approver is an agent, or whoever else is known in a space only. Such a one has no inbox. */
export function isSpaceIdentity(name: string): boolean {
  return name.includes('@hub:')
}
