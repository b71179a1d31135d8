import { digest } from '../../base/canonical.ts'

const longest = 64
const tail = 8

/** The name of an upstream's tool or prompt where all upstreams are joined. Server ids hold no `_`, so no two can be one. */
export function joinedName(server: string, name: string): string {
  const joined = `${server}__${name}`
  if (joined.length <= longest) return joined
  return `${joined.slice(0, longest - tail - 1)}-${digest(joined).slice(0, tail)}`
}

/** Whether the name may be one that was cut, so that the end of it says nothing. */
export function mayBeCut(joined: string): boolean {
  return joined.length === longest
}

/** Whose name this is, as far as the name says. */
export function serverOf(joined: string): string | undefined {
  const at = joined.indexOf('__')
  return at > 0 ? joined.slice(0, at) : undefined
}
