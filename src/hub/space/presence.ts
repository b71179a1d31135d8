import type { JsonObject } from '../../base/json.ts'
import type { HubLimits, Member } from '../options.ts'
import { protocolName } from '../wire/envelope.ts'

/** The revision of MCP that agents of a space speak. */
const mcpVersion = '2025-06-18'

/** A participant, as others are told of it. */
export function describeMember({ id, name, kind, for: person }: Member): JsonObject {
  return { id, name, kind, ...(person !== undefined && { for: person }), mcp: { version: mcpVersion } }
}

export interface Welcome {
  readonly space: string
  readonly me: Member
  readonly here: readonly Member[]
  readonly limits: HubLimits
  readonly historyMs: number
}

/** What one who joins is told. Both the draft and the reference of the protocol find here what they look for. */
export function welcomePayload({ space, me, here, limits, historyMs }: Welcome): JsonObject {
  return {
    event: 'welcome',
    type: 'welcome',
    protocol: protocolName,
    participant: describeMember(me),
    participant_id: me.id,
    topic: space,
    participants: here.map(describeMember),
    // The reference reads a list of envelopes here. They are at GET /hub/{space}/history.
    history: [],
    historyKept: { enabled: true, limit: limits.historyPage, ms: historyMs },
    capabilities: me.may as JsonObject[string],
    limits: { ...limits },
  }
}

/** That somebody came, went, or is alive. */
export function presencePayload(event: 'join' | 'leave' | 'heartbeat', member: Member, reason?: string): JsonObject {
  return { event, type: event, participant: describeMember(member), ...(reason !== undefined && { reason }) }
}
