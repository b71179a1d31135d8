/** How soon a question should be looked at, most urgent first. */
export const priorities = ['urgent', 'high', 'normal', 'low'] as const

export type Priority = (typeof priorities)[number]

/** Orders questions: 0 is the most urgent. A question without a priority is a normal one. */
export function urgencyOf({ priority = 'normal' }: { readonly priority?: Priority }): number {
  return priorities.indexOf(priority)
}
