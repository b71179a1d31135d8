import { hash, randomUUID } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import { writeJson } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { codes } from '../../mcp/codes.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { StateRefused } from '../../mcp/request-state.ts'
import type { Requester } from '../../participant/requester.ts'
import type { AssentForServers } from '../needs.ts'

/** A tool call that ended before it could be decided about. */
export interface Undecided {
  readonly requester: Requester
  readonly server: string
  /** As the client wrote it: there need not be such a tool. */
  readonly tool: string
  readonly arguments: unknown
  readonly walkId?: string
}

/** Records a call that ended before anything was decided or recorded about it. The error says why. */
export async function recordUndecided(
  { record }: Pick<AssentForServers, 'record'>,
  { requester, server, tool, arguments: given, walkId = randomUUID() }: Undecided,
  error: unknown,
): Promise<void> {
  const digest = digestAsGiven(given)
  await record({
    kind: 'call-refused',
    who: requester.participant,
    about: walkId,
    data: {
      server,
      tool: visibleLine(tool, 200),
      client: requester.client,
      ...whyOf(error),
      ...(digest !== undefined && { given: digest }),
    },
  })
}

function whyOf(error: unknown): { readonly status: string; readonly reason: string } {
  if (error instanceof AskRefused) return { status: error.status, reason: error.reason }
  if (error instanceof StateRefused) return { status: 'invalid', reason: 'invalid-state' }
  if (!(error instanceof ProtocolError)) return { status: 'failed', reason: 'internal-error' }
  return { status: 'invalid', reason: reasons.get(error.code) ?? 'protocol-error' }
}

const reasons = new Map<number, string>([
  [codes.invalidParams, 'invalid-params'],
  [codes.headerMismatch, 'header-mismatch'],
])

/** SHA-256 over the arguments as compact JSON, with numbers and keys as they came. Undefined: they are too deeply nested. */
function digestAsGiven(given: unknown): string | undefined {
  try {
    return hash('sha256', writeJson(given ?? {}), 'base64url')
  } catch {
    return undefined
  }
}
