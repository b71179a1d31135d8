/** The claim if it is text and not empty. */
export const stringIn = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined)

/** The claim if it is a list of texts, or else an empty list. */
export function stringsIn(claim: unknown): string[] {
  return Array.isArray(claim) && claim.every((item) => typeof item === 'string') ? claim : []
}
