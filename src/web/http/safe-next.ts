import type { Site } from '../site.ts'

const longest = 2_048

/** The path to redirect to, if it is one of these pages; undefined for anything that could lead to another site. */
export function safeNext({ origin }: Pick<Site, 'origin'>, next: string | undefined): string | undefined {
  if (next === undefined || next.length > longest || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) {
    return undefined
  }
  if (!URL.canParse(next, origin)) return undefined
  const url = new URL(next, origin)
  // "/.//evil" has our origin, but its path "//evil" would lead to another host.
  return url.origin === origin && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}
