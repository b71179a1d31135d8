import { createHash } from 'node:crypto'

/**
 * Names an authorization server in addresses of ours. Each server that was found by discovery has a callback of its own,
 * so a code of one server is never taken for that of another (a mix-up), even where neither says its name (RFC 9207).
 */
export function serverTag(issuer: string): string {
  return `at-${createHash('sha256').update(issuer).digest('base64url').slice(0, 22)}`
}

export const isServerTag = (text: string) => /^at-[\w-]{22}$/.test(text)

/** The tag at the end of a callback. Only the end is looked at: a proxy may serve callbacks below another path. */
export function serverTagIn({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1) ?? ''
  return isServerTag(last) ? last : undefined
}
