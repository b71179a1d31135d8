import type { KnownDefinition } from '../../definition/known-definition.ts'
import { fromMs, fromName, type IntegerValue, toName } from './values.ts'

/** What is known of one tool as a SQL row. Names are encoded, since a server may give a tool any name. */
export interface DefinitionRow<Integer = IntegerValue> {
  server: string
  tool: string
  version: Integer
  details: string
}

interface Details {
  firstSeen: number
  changes: number
  seen: SightingDetails
  allowed?: SightingDetails
}

interface SightingDetails {
  digest: string
  definition: string
  at: number
}

export const definitionColumns = ['server', 'tool', 'version', 'details'] as const

/** The inverse of `fromDefinitionRow`. */
export function toDefinitionRow({ server, tool, version, ...known }: KnownDefinition): DefinitionRow<number> {
  const { firstSeen, changes, seen, allowed } = known
  const details: Details = {
    firstSeen: firstSeen.getTime(),
    changes,
    seen: { ...seen, at: seen.at.getTime() },
    ...(allowed !== undefined && { allowed: { ...allowed, at: allowed.at.getTime() } }),
  }
  return { server: toName(server), tool: toName(tool), version, details: JSON.stringify(details) }
}

/** What is known of the tool of a row. */
export function fromDefinitionRow({ server, tool, version, details }: DefinitionRow): KnownDefinition {
  const { firstSeen, changes, seen, allowed }: Details = JSON.parse(details)
  return {
    server: fromName(server),
    tool: fromName(tool),
    version: Number(version),
    firstSeen: fromMs(firstSeen),
    changes,
    seen: { ...seen, at: fromMs(seen.at) },
    ...(allowed !== undefined && { allowed: { ...allowed, at: fromMs(allowed.at) } }),
  }
}
