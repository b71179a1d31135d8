/** A reason as the audit may hold it: a short word. It may come from a stranger, who could put anything there. */
export function reasonCode(reason: string): string {
  return /^[\w.-]{1,64}$/.test(reason) ? reason : 'other'
}
