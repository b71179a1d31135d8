import { ProtocolError } from '@modelcontextprotocol/server'
import { AskRefused } from '../mcp/refusal.ts'
import type { EraReply, Lost, LostReason, Unauthorized, UpstreamError } from './upstream/upstream.ts'

const words: Readonly<Record<LostReason, string>> = {
  down: 'cannot be reached now',
  broken: 'went away before it answered',
  cancelled: 'was told to stop',
  rubbish: 'answered something that is not MCP',
  'too-long': 'answered more than is read here',
  refused: 'refused the request',
  redirected: 'wants to send us elsewhere, which is not followed',
  busy: 'is busy; try again later',
  unsupported: 'speaks no revision of MCP that we speak',
  closed: 'is being stopped',
}

/** A request that an upstream did not answer, as the requester hears of it: plain, and clear on whether it may have run. */
export function lostCall(server: string, { reason, sent }: Lost): AskRefused {
  const ran = sent ? ' Nobody knows whether the call ran, so it is not made again.' : ' Nothing ran.'
  return new AskRefused('failed', `${server} ${words[reason]}.${ran}`, `upstream-${reason}`)
}

/** An upstream that wants a credential which nobody set up for it. */
export function locked(server: string, { status }: Unauthorized): AskRefused {
  const message = `${server} wants a login (${status}), and none is set up for it here. Nothing ran.`
  return new AskRefused('failed', message, 'upstream-unauthorized')
}

/** An error of the upstream's own, handed on as it is. */
export function upstreamError({ error }: UpstreamError): ProtocolError {
  return new ProtocolError(error.code, error.message, error.data)
}

/** Why an upstream cannot be spoken to. */
export function unreachable(server: string, reply: Exclude<EraReply, { kind: 'found' }>): AskRefused | ProtocolError {
  switch (reply.kind) {
    case 'lost':
      return lostCall(server, reply)
    case 'unauthorized':
      return locked(server, reply)
    case 'error':
      return upstreamError(reply)
  }
}
