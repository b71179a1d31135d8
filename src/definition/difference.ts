import { isPlainObject } from '../base/json.ts'
import type { KnownDefinition } from './known-definition.ts'

/** One thing that a server says of its tool, and what it said of it when it was allowed. */
export interface Line {
  /** Where it stands, such as `inputSchema.properties.path.type`. */
  readonly path: string
  /** As JSON; absent if the server did not say it then. */
  readonly before?: string
  /** As JSON; absent if the server does not say it now. */
  readonly now?: string
}

/** What of a tool's definition differs from what was allowed; all of it if nothing was. */
export function differenceOf({ seen, allowed }: Pick<KnownDefinition, 'seen' | 'allowed'>): readonly Line[] {
  const [now, before] = [flat(seen.definition), flat(allowed?.definition)]
  const paths = [...new Set([...now.keys(), ...before.keys()])]
  return paths.flatMap((path) => {
    const [is, was] = [now.get(path), before.get(path)]
    if (is === was) return []
    return [{ path, ...(was !== undefined && { before: was }), ...(is !== undefined && { now: is }) }]
  })
}

/** What a definition says, by where it says it. No two places have one name, or a change of one could hide behind the other. */
function flat(definition: string | undefined): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  const add = (path: string, value: unknown): void => {
    const inner = membersOf(path, value)
    if (inner.length === 0) return void lines.set(path, JSON.stringify(value))
    for (const [place, one] of inner) add(place, one)
  }
  if (definition !== undefined) add('', JSON.parse(definition))
  return lines
}

function membersOf(path: string, value: unknown): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((one, index) => [`${path}[${index}]`, one])
  if (!isPlainObject(value)) return []
  return Object.entries(value).map(([key, one]) => {
    if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return [`${path}[${JSON.stringify(key)}]`, one]
    return [path === '' ? key : `${path}.${key}`, one]
  })
}
