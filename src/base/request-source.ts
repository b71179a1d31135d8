import { isLoopbackAddress } from './public-address.ts'
import { isUrl } from './url.ts'

/** The parts of an HTTP request that tell where it came from. */
export interface RequestHead {
  readonly url: string
  readonly headers: Pick<Headers, 'get' | 'has'>
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks that a request was addressed to this machine by one of its own names: loopback's, or one of `hosts`. Any other
 * name was made to point here, as in DNS rebinding.
 */
export function acceptHosts(hosts: readonly string[]): (request: RequestHead) => boolean {
  const accepted = new Set([...loopbackNames, ...hosts])
  return ({ headers, url }) => {
    // Some runtimes keep the host in the url only.
    const host = `http://${headers.get('host') ?? new URL(url).host}`
    return isUrl(host) && accepted.has(new URL(host).hostname)
  }
}

/** Whether a proxy forwarded the request, so that its socket does not tell who sent it. */
export function wasForwarded({ headers }: RequestHead): boolean {
  return headers.has('forwarded') || headers.has('x-forwarded-for')
}

/** Whether the remote end of a socket is this machine. False for a closed socket, which has no address. */
export function isLocalSocket(remoteAddress: string | undefined): boolean {
  return remoteAddress !== undefined && isLoopbackAddress(remoteAddress.replace(/^::ffff:/, ''))
}
