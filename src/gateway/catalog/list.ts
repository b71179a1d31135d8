import { ProtocolError } from '@modelcontextprotocol/server'
import { decide } from '../../approval/policy/decide.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { codes } from '../../mcp/codes.ts'
import { connectTool } from '../accounts/connect-tool.ts'
import type { GatewayContext } from '../context.ts'
import { unreachable } from '../forward/lost.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { ListReply } from './catalog.ts'
import type { Listed, ListKind } from './fetch-list.ts'
import { withPatience } from './patience.ts'
import { joinedName, type Scope, type Sender } from './route.ts'

const pageSize = 500

/** The lists of all servers of a scope as one: in the order of the config, under joined names, page by page. */
export async function listAll(
  gateway: GatewayContext,
  scope: Scope,
  kind: ListKind,
  cursor: unknown,
  sender: Sender,
): Promise<JsonObject> {
  const lists = await Promise.all(scope.servers.map((server) => listOne(gateway, scope, server, kind, sender)))
  const items = lists.flatMap(({ items }) => items)
  const start = offsetIn(cursor, items.length)
  const ttl = Math.min(...lists.map(({ ttlMs }) => ttlMs), gateway.settings.clocks.lists)
  const isPrivate = lists.some((list) => list.isPrivate)
  return {
    [kind]: items.slice(start, start + pageSize),
    ...(start + pageSize < items.length && { nextCursor: cursorFor(start + pageSize) }),
    ttlMs: Math.max(0, Math.floor(ttl)),
    cacheScope: isPrivate ? 'private' : 'public',
  }
}

async function listOne(
  gateway: GatewayContext,
  scope: Scope,
  server: UpstreamServer,
  kind: ListKind,
  sender: Sender,
): Promise<Listed> {
  const { joined } = scope
  const began = gateway.settings.assent.clock.now().getTime()
  const listed = await fetched(gateway, scope, server, kind, sender)
  if (listed === undefined) return unconnected(server, kind, joined)
  if (listed.kind !== 'listed') {
    // It does not know the method, so it has none of these.
    if (listed.kind === 'error' && listed.error.code === codes.methodNotFound) return nothing
    // A server that is down takes only its own part out of a joined list, and the client is told when it is there.
    if (joined) {
      const waitedMs = gateway.settings.assent.clock.now().getTime() - began
      if (listed.kind === 'lost' && !sender.signal.aborted) gateway.missing.leftOut(server, sender.client, waitedMs)
      return { ...nothing, ttlMs: 0 }
    }
    throw unreachable(server, listed)
  }
  const { policy } = gateway.settings.assent.approvals
  const shown =
    kind === 'tools' ? listed.items.filter((item) => !isHidden(policy, server, item, sender.client)) : listed.items
  const isPrivate = listed.isPrivate || shown.length < listed.items.length || server.provider !== undefined
  return { ...listed, items: joined ? shown.map((item) => joinItem(server.id, kind, item)) : shown, isPrivate }
}

/** Undefined: it needs an account that is not connected. A rejected account is renewed first, if that is possible. */
async function fetched(
  gateway: GatewayContext,
  { joined }: Scope,
  server: UpstreamServer,
  kind: ListKind,
  { client, signal }: Sender,
): Promise<ListReply | undefined> {
  const listIt = (mine: DownstreamClient) =>
    joined
      ? withPatience(gateway, server, signal, (patient) => gateway.catalog.list(server, kind, mine, patient))
      : gateway.catalog.list(server, kind, mine, signal)
  for (let tries = 1; ; tries += 1) {
    const mine = await gateway.withAccount(server, client)
    if (mine === undefined) return undefined
    const reply = await listIt(mine)
    if (reply.kind !== 'unauthorized' || server.provider === undefined) return reply
    if (tries > 1) return undefined
    await gateway.accountRejected(server, mine)
  }
}

const nothing: Listed = { kind: 'listed', items: [], ttlMs: Number.POSITIVE_INFINITY, isPrivate: false }

function unconnected({ id }: UpstreamServer, kind: ListKind, joined: boolean): Listed {
  const items =
    kind === 'tools' ? [{ ...connectTool, name: joined ? joinedName(id, connectTool.name) : connectTool.name }] : []
  return { kind: 'listed', items, ttlMs: 0, isPrivate: true }
}

function joinItem(server: string, kind: ListKind, item: JsonObject): JsonObject {
  return kind === 'tools' || kind === 'prompts' ? { ...item, name: joinedName(server, String(item.name)) } : item
}

/** A tool that is disabled, or that policy denies whatever its arguments are, is not listed. */
function isHidden(
  policy: Policy,
  { id, trusted, disabledTools, annotations }: UpstreamServer,
  item: JsonObject,
  { requester }: DownstreamClient,
): boolean {
  if (disabledTools.has(String(item.name))) return true
  if (policy.mode === 'watch' || policy.rules.every(({ rule }) => rule.decide !== 'deny')) return false
  const decision = decide(policy, {
    requester,
    server: id,
    tool: String(item.name),
    arguments: {},
    definition: '',
    trusted: trusted || annotations.has(String(item.name)),
    ...(isPlainObject(item.annotations) && { annotations: item.annotations as JsonObject }),
  })
  const rule = policy.rules.find(({ number }) => number === decision.why.rule)?.rule
  return decision.decide === 'deny' && rule !== undefined && rule.when === undefined && rule.requester === undefined
}

function cursorFor(offset: number): string {
  return Buffer.from(`${offset}`).toString('base64url')
}

function offsetIn(cursor: unknown, length: number): number {
  if (cursor === undefined) return 0
  const offset = Number(Buffer.from(String(cursor), 'base64url').toString())
  if (Number.isInteger(offset) && offset > 0 && offset <= length) return offset
  throw new ProtocolError(codes.invalidParams, 'Invalid cursor')
}
