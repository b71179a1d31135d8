import type { Revision } from '../elicitation/form/revision.ts'

const revisions: readonly Revision[] = ['2025-06-18', '2025-11-25', '2026-07-28']

/** The revision of a protocol version. Undefined for older versions, which have no elicitation. */
export function revisionOf(version: string | undefined): Revision | undefined {
  return revisions.find((revision) => revision === version)
}

/** From 2026-07-28 on there are no sessions: each request stands alone, and a server asks by its result. */
export function isPerRequest(revision: Revision | undefined): boolean {
  return revision === '2026-07-28'
}
