/** A claim that is text, and not empty. */
export const stringIn = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined)

/** A claim that is a list of text; anything else lists nothing. */
export function stringsIn(claim: unknown): string[] {
  return Array.isArray(claim) && claim.every((item) => typeof item === 'string') ? claim : []
}
