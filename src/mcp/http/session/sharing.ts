import { digest } from '../../../base/canonical.ts'
import type { Clock } from '../../../base/clock.ts'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import { openText, sealText, type Vault } from '../../../base/seal.ts'
import type { KeptSession, KeptSessionStore } from '../../../instance/kept-session.ts'
import type { Post } from '../../../instance/post.ts'

/** Keeps the sessions of one client apart. A session's id opens the session, so only its digest is kept. */
export function sessionKeyOf(sessionId: string): string {
  return digest(sessionId).slice(0, 22)
}

/** What a session's id holds: everything that never changes in it. */
export interface SessionClaims {
  /** Whose session it is. */
  readonly owner: string
  /** The parameters of the client's `initialize` request. */
  readonly initialize: JsonObject
  /** When it began, in milliseconds. */
  readonly began: number
}

/** Lets every instance that shares a store serve the 2025 sessions of one endpoint. */
export interface SessionSharing {
  readonly post: Post
  /** Called when the client of a session that is served here set its log level elsewhere. */
  levelSet(sessionId: string, level: string): void
  /** The id of a new session. Undefined: the client says too much of itself, so that it cannot be shared. */
  seal(claims: SessionClaims): Promise<string | undefined>
  /** What an id holds. Undefined: it was not made for this endpoint, or is too old. */
  open(id: string): Promise<SessionClaims | undefined>
  /** What changed in the session since it began. */
  kept(key: string): Promise<KeptSession | undefined>
  /** Keeps a change of a session. `began` is from its claims. */
  save(key: string, change: Pick<KeptSession, 'level' | 'stream'> & { isRevoked?: true }, began: number): Promise<void>
  /** The id under which a request of this instance is sent to the client of a session. */
  addressOf(key: string, request: number | string, opening: string): Promise<string>
  /** Which instance waits for the answer to a request, and under which id. Undefined: it was not asked on this session. */
  readAddress(key: string, address: string): Promise<PushAddress | undefined>
}

/** Who waits for the answer to a request that was sent to a client. */
export interface PushAddress {
  readonly instance: string
  readonly request: number | string
  /** Which opening of the session at that instance sent it: each has a server of its own, which numbers its requests from 0. */
  readonly opening: string
}

export interface SharingParts {
  readonly vault: Vault
  readonly clock: Clock
  readonly sessions: KeptSessionStore
  readonly post: Post
  /** Which endpoint it is. An id of one opens no session at another. */
  readonly endpoint: string
  levelSet(sessionId: string, level: string): void
}

/** How long the id of a session opens it, in milliseconds. */
const lifeMs = 7 * 24 * 3_600_000
/** An id is sent with each request, and servers in between limit the length of headers. */
const longest = 3_000

export function shareSessions({ vault, clock, sessions, post, endpoint, levelSet }: SharingParts): SessionSharing {
  const identity = `session/${endpoint}`
  const pushed = (key: string) => `pushed/${key}`
  return {
    post,
    levelSet,
    async seal({ owner, initialize, began }) {
      const short = fitting(initialize)
      return short && sealText(vault, identity, { o: owner, i: short, b: began })
    },
    async open(id) {
      const held = (await openText(vault, identity, id)) as { o: string; i: JsonObject; b: number } | undefined
      if (held === undefined || clock.now().getTime() >= held.b + lifeMs) return undefined
      return { owner: held.o, initialize: held.i, began: held.b }
    },
    kept: (key) => sessions.get(key),
    save: (key, change, began) => sessions.save({ key, ...change, expiresAt: new Date(began + lifeMs) }),
    addressOf: (key, request, opening) => sealText(vault, pushed(key), [post.id, request, opening]),
    async readAddress(key, address) {
      const held = (await openText(vault, pushed(key), address)) as [string, number | string, string] | undefined
      return held && { instance: held[0], request: held[1], opening: held[2] }
    },
  }
}

/** As much of what a client says of itself as an id can hold: all of it, or what decides how it can be asked. */
function fitting(initialize: JsonObject): JsonObject | undefined {
  if (JSON.stringify(initialize).length <= longest) return initialize
  const { protocolVersion = '', capabilities, clientInfo } = initialize
  const { experimental: _, extensions: __, ...declared } = isPlainObject(capabilities) ? capabilities : {}
  const { name = '', version = '', title } = (isPlainObject(clientInfo) ? clientInfo : {}) as JsonObject
  const short = {
    protocolVersion,
    capabilities: declared,
    clientInfo: { name, version, ...(title !== undefined && { title }) },
  } as JsonObject
  return JSON.stringify(short).length <= longest ? short : undefined
}
