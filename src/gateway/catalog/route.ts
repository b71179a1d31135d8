import { UriTemplate } from '@modelcontextprotocol/server'
import type { AskingSettings } from '../../asking/context.ts'
import { digest } from '../../base/canonical.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { ListReply } from './catalog.ts'
import type { ListKind } from './fetch-list.ts'
import { withPatience } from './patience.ts'

/** A tool or prompt: whose it is, and what its server calls it. */
export interface Route {
  readonly server: UpstreamServer
  readonly name: string
}

/** One address of the gateway: all servers joined, or one as it is. */
export interface Scope {
  readonly joined: boolean
  readonly servers: readonly UpstreamServer[]
}

/** Who sends a request, and what aborts it. */
export interface Sender {
  readonly client: DownstreamClient
  readonly signal: AbortSignal
}

/** Finds whose tool or prompt a name is. A name that may have been cut is looked up in the lists. */
export async function routeNamed(
  gateway: GatewayContext,
  scope: Scope,
  kind: 'tools' | 'prompts',
  name: string,
  { client, signal }: Sender,
): Promise<Route | undefined> {
  const { joined, servers } = scope
  if (!joined || !mayBeCut(name)) return kind === 'tools' ? routeTool(scope, name) : routeAtOnce(scope, name)
  const server = servers.find(({ id }) => id === serverOf(name))
  if (server === undefined) return undefined
  const mine = (await gateway.withAccount(server, client)) ?? client
  const listed = await gateway.catalog.list(server, kind, mine, signal)
  const item =
    listed.kind === 'listed' ? listed.items.find((one) => joinedName(server.id, String(one.name)) === name) : undefined
  const route = { server, name: item === undefined ? ownName(server.id, name) : String(item.name) }
  return kind === 'tools' ? unlessDisabled(route) : route
}

/** Whose tool a name is, without looking into lists. Undefined: it is unknown, disabled, or may have been cut. */
export function routeTool(scope: Scope, name: string): Route | undefined {
  return unlessDisabled(routeAtOnce(scope, name))
}

/** Nobody gets to a disabled tool, whether they list tools or know its name. */
function unlessDisabled(route: Route | undefined): Route | undefined {
  return route?.server.disabledTools.has(route.name) === true ? undefined : route
}

/** The same without looking into lists. Undefined: it is unknown, or may have been cut. */
function routeAtOnce({ joined, servers }: Scope, name: string): Route | undefined {
  const [only] = servers
  if (!joined) return only && { server: only, name }
  if (mayBeCut(name)) return undefined
  const id = serverOf(name)
  const server = servers.find((one) => one.id === id)
  return server && { server, name: ownName(server.id, name) }
}

/** Finds whose resource a uri is: the first server, in the order of the config, that lists it or has a template for it. */
export async function routeResource(
  gateway: GatewayContext,
  { joined, servers }: Scope,
  uri: string,
  sender: Sender,
): Promise<UpstreamServer | undefined> {
  if (!joined || servers.length === 1) return servers[0]
  const lists = (kind: ListKind) => Promise.all(servers.map((server) => patientList(gateway, server, kind, sender)))
  const [resources, templates] = await Promise.all([lists('resources'), lists('resourceTemplates')])
  const at = resources.findIndex((list) => list.kind === 'listed' && list.items.some((item) => item.uri === uri))
  if (at >= 0) return servers[at]
  const matching = templates.findIndex(
    (list) => list.kind === 'listed' && list.items.some((item) => matches(String(item.uriTemplate), uri)),
  )
  return servers[matching]
}

/** Finds whose the reference of a `completion/complete` is, and gives the parameters in its server's own names. */
export async function routeReference(
  gateway: GatewayContext,
  scope: Scope,
  params: JsonObject,
  sender: Sender,
): Promise<{ readonly server: UpstreamServer; readonly params: JsonObject } | undefined> {
  const ref = isPlainObject(params.ref) ? (params.ref as JsonObject) : {}
  if (ref.type === 'ref/prompt') {
    const route = await routeNamed(gateway, scope, 'prompts', String(ref.name), sender)
    return route && { server: route.server, params: { ...params, ref: { ...ref, name: route.name } } }
  }
  if (typeof ref.uri !== 'string') return undefined
  const server = await routeResource(gateway, scope, ref.uri, sender)
  return server && { server, params }
}

/** The list of one of many servers. A slow one is not waited for long, as it holds up the others. */
async function patientList(
  gateway: GatewayContext,
  server: UpstreamServer,
  kind: ListKind,
  { client, signal }: Sender,
): Promise<ListReply> {
  const mine = (await gateway.withAccount(server, client)) ?? client
  return withPatience(gateway, server, signal, (patient) => gateway.catalog.list(server, kind, mine, patient))
}

function matches(template: string, uri: string): boolean {
  try {
    return template === uri || new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}

const longest = 64
const tail = 8

/** The name of a tool or prompt on the joined address. Server ids contain no `_`, so two names never collide. */
export function joinedName(server: string, name: string): string {
  const joined = `${server}__${name}`
  if (joined.length <= longest) return joined
  return `${joined.slice(0, longest - tail - 1)}-${digest(joined).slice(0, tail)}`
}

/** Whether a joined name may have been cut, so that its end is a digest. */
function mayBeCut(joined: string): boolean {
  return joined.length === longest
}

/** The server id in a joined name. */
function serverOf(joined: string): string | undefined {
  const at = joined.indexOf('__')
  return at > 0 ? joined.slice(0, at) : undefined
}

/** What the server itself calls the tool or prompt of a joined name that was not cut. */
function ownName(server: string, joined: string): string {
  return joined.slice(server.length + 2)
}

/** How requests ask that come to one address of the gateway. */
export function askingAt({ asking }: { readonly asking: AskingSettings }, scope: Scope): AskingSettings {
  return { ...asking, boundTo: boundTo(scope), ownerOf: (tool) => ownerOfTool(scope, tool) }
}

/** Joined names begin with their server. Of resources, the state itself says whose it is. */
function boundTo({ joined, servers }: Scope): string {
  return joined ? 'all servers' : `server ${servers[0]?.id}`
}

/** Whose tool a name seems to be, for the audit of calls that are refused before their route is known. */
export function ownerOfTool(scope: Scope, name: string): { readonly server: string; readonly tool: string } {
  const route = routeAtOnce(scope, name)
  return route === undefined ? { server: '', tool: name } : { server: route.server.id, tool: route.name }
}
