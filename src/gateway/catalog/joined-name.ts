import { digest } from '../../base/canonical.ts'

const longest = 64
const tail = 8

/** The name of a tool or prompt on the joined address. Server ids contain no `_`, so two names never collide. */
export function joinedName(server: string, name: string): string {
  const joined = `${server}__${name}`
  if (joined.length <= longest) return joined
  return `${joined.slice(0, longest - tail - 1)}-${digest(joined).slice(0, tail)}`
}

/** Whether a joined name may have been cut, so that its end is a digest. */
export function mayBeCut(joined: string): boolean {
  return joined.length === longest
}

/** The server id in a joined name. */
export function serverOf(joined: string): string | undefined {
  const at = joined.indexOf('__')
  return at > 0 ? joined.slice(0, at) : undefined
}

/** What the server itself calls the tool or prompt of a joined name that was not cut. */
export function ownName(server: string, joined: string): string {
  return joined.slice(server.length + 2)
}
