import type { WebContext } from '../site.ts'

/** The far end of the socket, an IPv4 address in its own spelling. Undefined where there is no socket to see. */
export function socketAddress({ env }: WebContext): string | undefined {
  return env?.incoming?.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '')
}

/** Whose requests are counted together: for a proxy we trust, the address it says it had the request from. */
export function clientAddress(c: WebContext): string {
  const address = socketAddress(c) ?? 'unknown'
  if (!c.var.site.proxy?.from.includes(address)) return address
  // The last one is the proxy's own word; what stands before it was sent by others.
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 64) || address
}
