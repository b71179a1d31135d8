import { networkOf, sourceAddress } from '../../base/request-source.ts'
import type { WebContext } from '../site.ts'

/** The remote address of the socket, an IPv4 address as IPv4. Undefined where the socket is not known. */
export function socketAddress({ env }: WebContext): string | undefined {
  return env?.incoming?.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The network that requests of strangers are counted for: the client's, as far as trusted proxies report it. */
export function clientNetwork(c: WebContext): string {
  const { trustedProxies } = c.var.site
  return networkOf(sourceAddress(socketAddress(c) ?? 'unknown', c.req.header('x-forwarded-for') ?? '', trustedProxies))
}
