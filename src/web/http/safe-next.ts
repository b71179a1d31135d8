import type { Site } from '../site.ts'

const longest = 2_048

/** Where to go on, if that is a path of ours; nobody is ever sent to another site by an address that we did not make. */
export function safeNext({ origin }: Pick<Site, 'origin'>, next: string | undefined): string | undefined {
  if (next === undefined || next.length > longest || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) {
    return undefined
  }
  if (!URL.canParse(next, origin)) return undefined
  const url = new URL(next, origin)
  // "/.//evil" is one of ours by its origin, and becomes "//evil" as a path.
  return url.origin === origin && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}
