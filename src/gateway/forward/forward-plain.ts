import { ProtocolError } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import { codes } from '../../mcp/codes.ts'
import { protocolErrorFrom } from '../../mcp/errors.ts'
import type { Sender } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { Lost } from '../upstream/upstream.ts'
import { lostCall, unreachable } from './lost.ts'
import { sessionResult } from './result-for.ts'
import { upstreamError } from './upstream-error.ts'

/** Forwards a request in which nobody is asked anything. */
export async function forwardPlain(
  gateway: GatewayContext,
  server: UpstreamServer,
  method: string,
  params: JsonObject,
  { client, signal }: Sender,
): Promise<JsonObject> {
  const mine = (await gateway.withAccount(server, client)) ?? client
  const reply = await server.upstream.request({ ...mine, method, params, signal })
  switch (reply.kind) {
    case 'result':
      // Nothing may be asked here (M26-02): the client would take it for a round of the gateway.
      if (reply.result.resultType === 'input_required') throw lostRequest(server, notAllowed)
      // The SDK server adds what 2026-07-28 wants.
      return sessionResult(reply.result)
    case 'error': {
      const error = upstreamError(server.id, reply)
      throw error instanceof ProtocolError ? error : protocolErrorFrom(error)
    }
    case 'unauthorized':
      throw unreachable(server, reply)
    case 'lost':
      throw lostRequest(server, reply)
  }
}

const notAllowed: Lost = {
  kind: 'lost',
  reason: 'malformed',
  sent: true,
  detail: 'a question in answer to a request that may not ask',
}

function lostRequest({ id }: UpstreamServer, reply: Lost): ProtocolError {
  return new ProtocolError(codes.refused, lostCall(id, reply).message, { status: 'failed', reason: reply.reason })
}
