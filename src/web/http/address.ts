import type { WebContext } from '../site.ts'

/** The remote address of the socket, an IPv4 address as IPv4. Undefined where the socket is not known. */
export function socketAddress({ env }: WebContext): string | undefined {
  return env?.incoming?.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The address that rate limits count: behind a trusted proxy the one that the proxy reports, else the socket's. */
export function clientAddress(c: WebContext): string {
  const address = socketAddress(c) ?? 'unknown'
  if (!c.var.site.proxy?.from.includes(address)) return address
  // The proxy appended the last entry; a client may have sent those before it.
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 64) || address
}
