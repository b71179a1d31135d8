import { isUrl } from '../../base/public-address.ts'

/** Whether an address means this server: the same origin, and the same path or one above it. */
export function isResourceOf(resource: string, server: URL): boolean {
  if (!isUrl(resource)) return false
  const url = new URL(resource)
  if (url.origin !== server.origin || url.hash !== '' || url.username !== '') return false
  if (url.search !== '' && url.search !== server.search) return false
  return `${server.pathname}/`.startsWith(`${url.pathname.replace(/\/$/, '')}/`)
}
