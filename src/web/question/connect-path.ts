import type { ElicitationId } from '../../elicitation/elicitation.ts'

/** The path of the page that connects an account, for a question or without one. */
export function connectPath(provider: string, id?: ElicitationId): string {
  const path = `/oauth/connect/${encodeURIComponent(provider)}`
  return id === undefined ? path : `${path}?elicitation_id=${encodeURIComponent(id)}`
}
