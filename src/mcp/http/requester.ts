import type { ServerContext } from '@modelcontextprotocol/server'
import { digest } from '../../base/canonical.ts'
import { BadArgument } from '../../base/errors.ts'
import type { Person } from '../../participant/identify.ts'
import { localParticipant, type ParticipantId } from '../../participant/participant.ts'
import type { Requester } from '../../participant/requester.ts'

/** Who sent a request: the verified token says it, else it is the local person. The request itself is never believed. */
export function requesterOf({ http, sessionId }: Pick<ServerContext, 'http' | 'sessionId'>): Requester & Person {
  const authInfo = http?.authInfo
  if (authInfo === undefined) return { participant: localParticipant, client: clientOf(sessionId), groups: [] }

  const { participant, groups } = authInfo.extra ?? {}
  if (typeof participant !== 'string' || participant === '') {
    throw new BadArgument('The sender of this request is not known.', {
      detail: 'authInfo without a participant: the request was authenticated by something else than serveHttp',
    })
  }
  return { participant: participant as ParticipantId, client: authInfo.clientId, groups: (groups as string[]) ?? [] }
}

/** A session's id opens the session, so only its digest is kept. */
function clientOf(sessionId: string | undefined): string {
  return sessionId === undefined ? 'local' : `session-${digest(sessionId).slice(0, 22)}`
}
