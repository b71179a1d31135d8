import { isIP } from 'node:net'

/** The site that passkeys are made for, and whose pages alone may use them. */
export interface RelyingParty {
  /** A host name: browsers offer a passkey on this host only. */
  readonly id: string
  readonly origin: string
  /** For people, shown by their browser. */
  readonly name: string
}

export function relyingPartyOf(publicUrl: string, name: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin, name }
}

/** Why browsers make no passkeys for this site, and what to do; undefined where they do. */
export function relyingPartyProblem({ id, origin }: RelyingParty): string | undefined {
  if (isIP(id.replace(/^\[|\]$/g, '')) === 0) return undefined
  const url = new URL(origin)
  url.hostname = 'localhost'
  return `Browsers make passkeys for host names only, and publicUrl is ${origin}. Set a publicUrl with a host name, such as ${url.origin}.`
}
