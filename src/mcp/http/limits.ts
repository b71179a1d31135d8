import { Budget } from '../../base/limits/budget.ts'
import { SessionPool } from './session/session-pool.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** How much clients may send, leave unread, and make us keep. */
export interface HttpLimits {
  /** Bytes of one request. Default: 4 MiB. */
  bodyBytes: number
  /** JSON values in one request, at any depth. Default: 200,000. */
  bodyValues: number
  /** Bytes of memory for the requests of all clients that are being received or worked on. Default: 128 MiB. */
  inFlightBytes: number
  /** The part of it that one requester may take. Default: 32 MiB. */
  inFlightBytesPerRequester: number
  /** Bytes of answers that clients have not read yet. Default: 64 MiB. */
  unreadBytes: number
  /** The part of it that one requester may leave unread. Default: 16 MiB. */
  unreadBytesPerRequester: number
  /** 2025 sessions open at once. Default: 1,000. */
  sessions: number
  /** 2025 sessions of one participant and client. Without a login everybody is one, and this does not apply. Default: 50. */
  sessionsPerOwner: number
  /** Bytes of memory for what a client says of itself when it opens a 2025 session. Default: 256 KiB. */
  initializeBytes: number
  /** Messages kept per 2025 session for clients that reconnect. Default: 32. */
  replay: number
  /** Bytes of all messages that are kept for clients that reconnect. Default: 16 MiB. */
  replayBytes: number
}

/** The limits that apply unless others are given. */
export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  bodyValues: 200_000,
  inFlightBytes: 128 * 1024 * 1024,
  inFlightBytesPerRequester: 32 * 1024 * 1024,
  unreadBytes: 64 * 1024 * 1024,
  unreadBytesPerRequester: 16 * 1024 * 1024,
  sessions: 1_000,
  sessionsPerOwner: 50,
  initializeBytes: 256 * 1024,
  replay: 32,
  replayBytes: 16 * 1024 * 1024,
}

/** Limits and what counts against them. Several endpoints may share them. */
export interface SharedLimits {
  readonly limits: HttpLimits
  /** Requests in flight, by requester. */
  readonly requests: Budget
  /** Messages kept for clients that reconnect, by requester. */
  readonly replays: Budget
  readonly unread: UnreadAnswers
  readonly sessions: SessionPool
}

/** The part of the messages kept for replay that one requester may take. */
const replayShare = 0.25

export function shareLimits(given: Partial<HttpLimits> = {}): SharedLimits {
  const limits = { ...defaultHttpLimits, ...given }
  return {
    limits,
    requests: new Budget(limits.inFlightBytes, limits.inFlightBytesPerRequester),
    replays: new Budget(limits.replayBytes, limits.replayBytes * replayShare),
    unread: new UnreadAnswers(limits.unreadBytes, limits.unreadBytesPerRequester),
    sessions: new SessionPool(limits.sessions, limits.sessionsPerOwner),
  }
}
