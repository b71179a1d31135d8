import type { Assent } from '../../../src/index.ts'

/** The calls that the audit knows, oldest first: what it says of each, by its walk. */
export async function callsIn(assent: Assent): Promise<string[][]> {
  // The end of a call on the fast path is kept with what is recorded next.
  await assent.record({ kind: 'custom:looked' })
  const walks = new Map<string, string[]>()
  for (const { chain } of await assent.store.audit.chains()) {
    for (const { kind, about = '', data } of await assent.store.audit.read(chain, 0, 100_000)) {
      if (!kind.startsWith('call-')) continue
      walks.set(about, [...(walks.get(about) ?? []), kind === 'call-finished' ? `${kind} ${data.outcome}` : kind])
    }
  }
  return [...walks.values()]
}
