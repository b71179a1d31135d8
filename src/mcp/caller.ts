import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { BadArgument } from '../base/errors.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import type { Revision } from '../elicitation/form/revision.ts'
import type { Person } from '../participant/identify.ts'
import { localParticipant, type ParticipantId } from '../participant/participant.ts'
import { clientNamed, type Requester } from '../participant/requester.ts'
import { type ClientInfo, type ClientMarks, type Quirk, quirksOf } from './quirks.ts'
import { isPerRequest, revisionOf } from './revision.ts'

/** Who sent a request, by which client, and how that client can be asked. */
export interface Caller {
  readonly requester: Requester
  /** The groups that the verified token names. */
  readonly groups: readonly string[]
  /** The client's 2025 session, if it has one. */
  readonly sessionId?: string
  /** The protocol version that was agreed on, whether or not elicitation exists in it. */
  readonly version: string | undefined
  /** Undefined for a version without elicitation. */
  readonly revision: Revision | undefined
  /** What the client says it is. */
  readonly clientInfo: ClientInfo | undefined
  /** What the client declared; undefined if it never declared anything (a 2025 request without a session). */
  readonly declared: JsonObject | undefined
  readonly modes: Modes
  /** What this client does differently from what it declares. */
  readonly ownQuirks: readonly Quirk[]
}

/** What a server knows of its client. */
export type KnownClient = Pick<Server, 'getNegotiatedProtocolVersion' | 'getClientVersion' | 'getClientCapabilities'>

/** The caller of a request in a handler of an SDK server. */
export function callerOf(server: KnownClient, ctx: ServerContext, quirks: readonly Quirk[]): Caller {
  const version = server.getNegotiatedProtocolVersion()
  const { sessionId } = ctx
  const authInfo = ctx.http?.authInfo
  const marks = { ...wayOf(ctx), meta: ctx.mcpReq._meta as JsonObject | undefined }
  // From 2026-07-28 on a client says who it is with each request, and nothing of it is remembered (B26-06).
  const said = isPerRequest(revisionOf(version))
    ? saidIn(ctx.mcpReq.envelope as JsonObject | undefined)
    : saidOnce(server)
  return makeCaller({ version, authInfo, sessionId, marks, ...said }, quirks)
}

/** Over a pipe, the client started this process, and its environment tells more about it. */
function wayOf({ http }: ServerContext): Pick<ClientMarks, 'userAgent' | 'env'> {
  if (http === undefined) return { env: process.env }
  return { userAgent: http.req?.headers.get('user-agent') ?? undefined }
}

/** The caller of a request of 2026-07-28, by the `_meta` of its parameters. */
export function perRequestCaller(meta: JsonObject, authInfo: AuthInfo | undefined, quirks: readonly Quirk[]): Caller {
  return makeCaller({ version: '2026-07-28', authInfo, ...saidIn(meta) }, quirks)
}

/** The caller of any request on a 2025 session. */
export function sessionCaller(
  server: KnownClient,
  sessionId: string | undefined,
  authInfo: AuthInfo | undefined,
  quirks: readonly Quirk[],
): Caller {
  const version = server.getNegotiatedProtocolVersion()
  return makeCaller({ version, authInfo, sessionId, ...saidOnce(server) }, quirks)
}

/** What a client says of itself. */
interface Said {
  readonly clientInfo: ClientInfo | undefined
  readonly declared: JsonObject | undefined
}

interface Sender extends Said {
  readonly version: string | undefined
  readonly authInfo: AuthInfo | undefined
  readonly sessionId?: string | undefined
  readonly marks?: Omit<ClientMarks, 'info'>
}

function makeCaller(sender: Sender, quirks: readonly Quirk[]): Caller {
  const { version, authInfo, sessionId, clientInfo, declared, marks } = sender
  const { participant, client, agents, groups } = requesterOf(
    { ...(authInfo !== undefined && { http: { authInfo } }) } as Pick<ServerContext, 'http'>,
    clientInfo?.name,
  )
  const revision = revisionOf(version)
  const ownQuirks = quirksOf({ info: clientInfo, ...marks }, quirks)
  return {
    requester: {
      participant,
      client,
      ...(agents !== undefined && { agents }),
      ...(clientInfo !== undefined && { clientName: clientInfo.name }),
    },
    groups,
    ...(sessionId !== undefined && { sessionId }),
    version,
    revision,
    clientInfo,
    declared,
    modes: modesOf(declared?.elicitation, revision, ownQuirks),
    ownQuirks,
  }
}

/** What a 2025 client said when it was initialized. */
function saidOnce(server: KnownClient): Said {
  return { clientInfo: server.getClientVersion(), declared: server.getClientCapabilities() as JsonObject | undefined }
}

function saidIn(envelope: JsonObject | undefined): Said {
  const info = envelope?.[CLIENT_INFO_META_KEY]
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY]
  return {
    clientInfo: isPlainObject(info) ? (info as unknown as ClientInfo) : undefined,
    declared: isPlainObject(declared) ? (declared as JsonObject) : undefined,
  }
}

/**
 * Who sent a request: the verified token says it, else it is the local person. Only there the client is what it calls
 * itself; everything else that a request says about its sender is not believed.
 */
export function requesterOf({ http }: Pick<ServerContext, 'http'>, clientName?: string): Requester & Person {
  const authInfo = http?.authInfo
  if (authInfo === undefined) return { participant: localParticipant, client: clientNamed(clientName), groups: [] }

  const { participant, groups } = authInfo.extra ?? {}
  if (typeof participant !== 'string' || participant === '') {
    throw new BadArgument('The sender of this request is not known.', {
      detail: 'authInfo without a participant: the request was authenticated by something else than serveHttp',
    })
  }
  return { participant: participant as ParticipantId, client: authInfo.clientId, groups: (groups as string[]) ?? [] }
}

/** The modes of elicitation that a client supports. */
export interface Modes {
  readonly form: boolean
  readonly url: boolean
}

const none: Modes = { form: false, url: false }

/** The modes that a client declared, with those that its quirks add, less those that they take away. `{}` means form only (E11-09). */
export function modesOf(declared: unknown, revision: Revision | undefined, ownQuirks: readonly Quirk[] = []): Modes {
  if (revision === undefined) return none
  const modes = isPlainObject(declared) ? declared : undefined
  const says = (mode: 'form' | 'url') => modes?.[mode] !== undefined && modes[mode] !== null
  const neither = modes !== undefined && !says('form') && !says('url')
  const lacks = ownQuirks.flatMap((quirk) => quirk.lacks ?? [])
  const adds = ownQuirks.flatMap((quirk) => quirk.adds ?? [])
  return {
    form: (says('form') || neither || adds.includes('form')) && !lacks.includes('form'),
    // 2025-06-18 has no url mode, whatever a client declares.
    url: ((says('url') && revision !== '2025-06-18') || adds.includes('url')) && !lacks.includes('url'),
  }
}
