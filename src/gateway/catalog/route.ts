import { UriTemplate } from '@modelcontextprotocol/server'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { ListKind, ListReply } from './catalog.ts'
import { joinedName, mayBeCut, serverOf } from './names.ts'

/** An upstream, and what it calls the thing itself. */
export interface Route {
  readonly server: UpstreamServer
  readonly name: string
}

/** One address of the gateway: all upstreams joined, or one as it is. */
export interface Scope {
  readonly joined: boolean
  readonly servers: readonly UpstreamServer[]
}

/** Whose tool or prompt a name is. A name that was cut is looked for in the lists. */
export async function routeNamed(
  gateway: GatewayContext,
  { joined, servers }: Scope,
  kind: 'tools' | 'prompts',
  name: string,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<Route | undefined> {
  const [only] = servers
  if (!joined) return only && { server: only, name }
  const owner = servers.find(({ id }) => id === serverOf(name))
  if (owner === undefined) return undefined
  const plain = name.slice(owner.id.length + 2)
  if (!mayBeCut(name)) return { server: owner, name: plain }
  const mine = (await gateway.withAccount(owner, client)) ?? client
  const listed = await gateway.catalog.list(owner, kind, mine, signal)
  const item =
    listed.kind === 'listed' ? listed.items.find((one) => joinedName(owner.id, String(one.name)) === name) : undefined
  return { server: owner, name: item === undefined ? plain : String(item.name) }
}

/** Whose resource a uri is: the first, in the order of the config, that lists it or has a template for it. */
export async function routeResource(
  gateway: GatewayContext,
  { joined, servers }: Scope,
  uri: string,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<UpstreamServer | undefined> {
  if (!joined || servers.length === 1) return servers[0]
  const lists = (kind: ListKind) => Promise.all(servers.map((one) => patientList(gateway, one, kind, client, signal)))
  const [resources, templates] = await Promise.all([lists('resources'), lists('resourceTemplates')])
  const at = resources.findIndex((list) => list.kind === 'listed' && list.items.some((item) => item.uri === uri))
  if (at >= 0) return servers[at]
  const matching = templates.findIndex(
    (list) => list.kind === 'listed' && list.items.some((item) => matches(String(item.uriTemplate), uri)),
  )
  return servers[matching]
}

/** How long one of many upstreams is waited for, in milliseconds. */
export const patienceMs = 3_000

/** The list of one of many upstreams: one that is slow is not waited for long, for the others' sake. */
async function patientList(
  gateway: GatewayContext,
  server: UpstreamServer,
  kind: ListKind,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<ListReply> {
  const mine = (await gateway.withAccount(server, client)) ?? client
  return gateway.catalog.list(server, kind, mine, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))
}

function matches(template: string, uri: string): boolean {
  try {
    return template === uri || new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}
