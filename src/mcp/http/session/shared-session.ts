import { inBackground } from '../../../base/under-way.ts'
import { refusal } from '../replies.ts'
import { type AnsweringSession, routeAnswers, tellOthers } from './relay.ts'
import type { SessionSharing } from './sharing.ts'

/** A 2025 session, as far as other instances may serve it too. */
export interface SharedSession extends AnsweringSession {
  readonly id: string
  /** Digest of its id. */
  readonly key: string
  /** Tells it apart from the same session that was closed and built again here: an answer to one is none to the other. */
  readonly opening: string
  /** When it began, in milliseconds. Undefined: other instances cannot serve it. */
  readonly began: number | undefined
  /** The other instance that holds the client's own stream. */
  stream?: string | undefined
  /** This instance may have missed what others told of it: it is looked up before its next request. */
  isUnsure?: boolean
  close(): void
}

/** Lets other instances take their part of a client's message. Returns what is left for this one, or the answer. */
export async function shareMessage(
  session: SharedSession,
  sharing: SessionSharing | undefined,
  request: Request,
  body: unknown,
): Promise<Response | { body: unknown }> {
  const { key, began } = session
  if (sharing === undefined || began === undefined) return { body }
  if (request.method === 'DELETE') await endEverywhere(key, began, sharing)
  if (request.method !== 'POST') return { body }
  // It is served here even if the others cannot be told.
  inBackground(tellOthers(sharing, key, body).catch(() => {}))
  const routed = await routeAnswers(sharing, session, body)
  if (routed.kind === 'here') return routed
  if (routed.kind === 'sent') return new Response(null, { status: 202 })
  return refusal(409, 'Nobody waits for this answer any more: the call that asked is gone. Make the call again.')
}

/** Other instances send here from now on what is for the client and belongs to none of its requests. */
export async function streamOpened(session: SharedSession, sharing: SessionSharing | undefined): Promise<void> {
  const { key, began } = session
  session.stream = undefined
  if (sharing === undefined || began === undefined) return
  await sharing.save(key, { stream: sharing.post.id }, began)
  await sharing.post.sendAll({ kind: 'session-stream', key })
}

/** Kept first, so that no instance rebuilds it after the others were told. */
export async function endEverywhere(key: string, began: number, sharing: SessionSharing): Promise<void> {
  await sharing.save(key, { isRevoked: true }, began)
  await sharing.post.sendAll({ kind: 'session-revoked', key })
}

/** Looks up what became of a session elsewhere. False: it was ended there, and is ended here now. */
export async function makeSure(session: SharedSession, sharing: SessionSharing | undefined): Promise<boolean> {
  const kept = await sharing?.kept(session.key)
  if (kept?.isRevoked === true) {
    session.close()
    return false
  }
  session.isUnsure = false
  session.stream = kept?.stream === sharing?.post.id ? undefined : kept?.stream
  if (kept?.level !== undefined) sharing?.levelSet(session.id, kept.level)
  return true
}

/** Looks up all of them, so that one that was ended elsewhere ends what it has in progress here. */
export async function makeAllSure(sessions: readonly SharedSession[], sharing: SessionSharing): Promise<void> {
  for (const session of sessions) session.isUnsure = session.began !== undefined
  for (const session of sessions) if (session.isUnsure === true) await makeSure(session, sharing)
}
