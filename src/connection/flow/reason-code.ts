/** A reason for the audit: a short word. Reasons may come from a provider, which could write anything into them. */
export function reasonCode(reason: string): string {
  return /^[\w.-]{1,64}$/.test(reason) ? reason : 'other'
}
