import type { ElicitationId } from '../../elicitation/elicitation.ts'

/** Where an account is connected, for a question or by oneself. */
export function connectPath(provider: string, id?: ElicitationId): string {
  const path = `/oauth/connect/${encodeURIComponent(provider)}`
  return id === undefined ? path : `${path}?elicitation_id=${encodeURIComponent(id)}`
}
