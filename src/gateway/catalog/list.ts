import { ProtocolError } from '@modelcontextprotocol/server'
import { decide } from '../../approval/policy/decide.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import type { JsonObject } from '../../base/json.ts'
import { isPlainObject } from '../../base/json.ts'
import { connectTool } from '../accounts/connect-tool.ts'
import type { Ways } from '../context.ts'
import { unreachable } from '../forward/lost.ts'
import type { Behind } from '../options.ts'
import type { Visitor } from '../upstream/upstream.ts'
import type { Listed, ListKind, ListReply } from './catalog.ts'
import { joinedName } from './names.ts'
import { patienceMs, type Scope } from './route.ts'

const pageSize = 500

/** The lists of all upstreams of a scope as one: in the order of the config, under joined names, page by page. */
export async function listAll(
  ways: Ways,
  scope: Scope,
  kind: ListKind,
  visitor: Visitor,
  cursor: unknown,
  signal: AbortSignal,
): Promise<JsonObject> {
  const lists = await Promise.all(scope.behind.map((behind) => listOne(ways, scope, behind, kind, visitor, signal)))
  const items = lists.flatMap(({ items }) => items)
  const start = offsetIn(cursor, items.length)
  const ttl = Math.min(...lists.map(({ ttlMs }) => ttlMs), ways.settings.clocks.lists)
  const isPrivate = lists.some((list) => list.isPrivate)
  return {
    [kind]: items.slice(start, start + pageSize),
    ...(start + pageSize < items.length && { nextCursor: cursorFor(start + pageSize) }),
    ttlMs: Math.max(0, Math.floor(ttl)),
    cacheScope: isPrivate ? 'private' : 'public',
  }
}

async function listOne(
  ways: Ways,
  { joined }: Scope,
  behind: Behind,
  kind: ListKind,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<Listed> {
  const listed = await fetched(ways, joined, behind, kind, visitor, signal)
  if (listed === undefined) return unconnected(behind, kind, joined)
  if (listed.kind !== 'listed') {
    // It does not know the method: it has none of these.
    if (listed.kind === 'error' && listed.error.code === -32_601) return nothing
    // One that is down harms only its own part of a joined list.
    if (joined) return { ...nothing, ttlMs: 0 }
    throw unreachable(behind, listed)
  }
  const shown =
    kind === 'tools'
      ? listed.items.filter((item) => !isHidden(ways.settings.assent.approvals.policy, behind, item, visitor))
      : listed.items
  const isPrivate = listed.isPrivate || shown.length < listed.items.length || behind.provider !== undefined
  return { ...listed, items: joined ? shown.map((item) => joinItem(behind.id, kind, item)) : shown, isPrivate }
}

/** Undefined: it needs an account that is not connected. One that it does not take is renewed first, if that can be. */
async function fetched(
  ways: Ways,
  joined: boolean,
  behind: Behind,
  kind: ListKind,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<ListReply | undefined> {
  const isWaited = joined ? AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) : signal
  for (let tries = 1; ; tries += 1) {
    const mine = await ways.visitorOf(behind, visitor)
    if (mine === undefined) return undefined
    const reply = await ways.catalog.list(behind, kind, mine, isWaited)
    if (reply.kind !== 'unauthorized' || behind.provider === undefined) return reply
    if (tries > 1) return undefined
    await ways.rejected(behind, mine)
  }
}

const nothing: Listed = { kind: 'listed', items: [], ttlMs: Number.POSITIVE_INFINITY, isPrivate: false }

function unconnected({ id }: Behind, kind: ListKind, joined: boolean): Listed {
  const items =
    kind === 'tools' ? [{ ...connectTool, name: joined ? joinedName(id, connectTool.name) : connectTool.name }] : []
  return { kind: 'listed', items, ttlMs: 0, isPrivate: true }
}

function joinItem(server: string, kind: ListKind, item: JsonObject): JsonObject {
  return kind === 'tools' || kind === 'prompts' ? { ...item, name: joinedName(server, String(item.name)) } : item
}

/** What policy denies whatever its arguments need not be shown. */
function isHidden(policy: Policy, { id, trusted }: Behind, item: JsonObject, { requester }: Visitor): boolean {
  if (policy.mode === 'watch' || policy.rules.every(({ rule }) => rule.decide !== 'deny')) return false
  const decision = decide(policy, {
    requester,
    server: id,
    tool: String(item.name),
    arguments: {},
    definition: '',
    trusted,
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
  throw new ProtocolError(-32_602, 'Invalid cursor')
}
