import type { ProtocolError } from '@modelcontextprotocol/server'
import { AskRefused } from '../../mcp/refusal.ts'
import type { UpstreamServer } from '../options.ts'
import type { EraReply, Lost, LostReason, Unauthorized } from '../upstream/upstream.ts'
import { type Hearer, upstreamError } from './upstream-error.ts'

const words: Readonly<Record<LostReason, string>> = {
  down: 'cannot be reached now',
  broken: 'closed the connection before it answered',
  cancelled: 'did not answer before the request was cancelled',
  silent: 'sent nothing for too long, so the request was cancelled',
  malformed: 'answered something that is not MCP',
  'too-long': 'answered with more than Assent reads',
  refused: 'refused the request',
  redirected: 'redirects to another address, which is not followed',
  busy: 'is busy; try again later',
  unsupported: 'speaks no revision of MCP that Assent speaks',
  closed: 'is being stopped',
}

/** The refusal for a request that an upstream did not answer. It says whether the call may have run. */
export function lostCall(server: string, { reason, sent }: Lost): AskRefused {
  const ran = sent ? ' Nobody knows whether the call ran, so it is not made again.' : ' Nothing ran.'
  return new AskRefused('failed', `${server} ${words[reason]}.${ran}`, `upstream-${reason}`)
}

/** The refusal for an upstream that needs a credential which is not set up, or rejects the one it got. */
export function locked(
  { id, provider }: Pick<UpstreamServer, 'id' | 'provider'>,
  { status }: Unauthorized,
): AskRefused {
  const why =
    provider === undefined
      ? `${id} wants a login (${status}), and none is set up for it here.`
      : `${id} did not take the account that is connected for it (${status}).`
  return new AskRefused('failed', `${why} Nothing ran.`, 'upstream-unauthorized')
}

/** The error for an upstream that cannot be used. */
export function unreachable(
  server: Pick<UpstreamServer, 'id' | 'provider'>,
  reply: Exclude<EraReply, { kind: 'found' }>,
  hearer?: Hearer,
): AskRefused | ProtocolError {
  switch (reply.kind) {
    case 'lost':
      return lostCall(server.id, reply)
    case 'unauthorized':
      return locked(server, reply)
    case 'error':
      return upstreamError(server.id, reply, hearer)
  }
}
