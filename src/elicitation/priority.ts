/** How soon a question should be looked at, most urgent first. */
export const priorities = ['urgent', 'high', 'normal', 'low'] as const

export type Priority = (typeof priorities)[number]
