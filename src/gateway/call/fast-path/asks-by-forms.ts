import { isPlainObject } from '../../../base/json.ts'
import type { UpstreamReply } from '../../upstream/upstream.ts'

/** Whether a result asks something, and only by forms. */
export function asksByForms(reply: UpstreamReply | undefined): boolean {
  if (reply?.kind !== 'result' || !isPlainObject(reply.result.inputRequests)) return false
  const requests = Object.values(reply.result.inputRequests)
  return requests.length > 0 && requests.every(isForm)
}

function isForm(request: unknown): boolean {
  if (!isPlainObject(request) || request.method !== 'elicitation/create') return false
  return isPlainObject(request.params) && (request.params.mode ?? 'form') === 'form'
}
