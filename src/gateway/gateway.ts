import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/server'
import type { AskingSettings, ServerClocks } from '../asking/context.ts'
import type { JsonObject } from '../base/json.ts'
import { type HttpOptions, type HttpServing, serveHttp } from '../mcp/http/serve.ts'
import type { ServerFactory } from '../mcp/http/session/sessions.ts'
import { createAccountWatch } from './accounts/account-watch.ts'
import { credentialFor, credentialRejected } from './accounts/credential-for.ts'
import { fastPath } from './call/fast-path/fast-path.ts'
import { createCatalog } from './catalog/catalog.ts'
import type { Scope } from './catalog/route.ts'
import type { GatewayContext } from './context.ts'
import { calledSchema, knowsSchema } from './downstream/called-schema.ts'
import { sessionKeyOf } from './downstream/client.ts'
import { createClientRegistry } from './downstream/client-registry.ts'
import { findEras } from './downstream/eras.ts'
import { createLogLevels } from './downstream/log-levels.ts'
import { createNegotiations } from './downstream/negotiations.ts'
import { gatewayServer } from './downstream/server.ts'
import { createSubscribers } from './downstream/subscribers.ts'
import { createSubscriptions } from './downstream/subscriptions.ts'
import { createCompletions } from './forward/completions.ts'
import { createParking } from './forward/parking.ts'
import type { GatewaySettings, UpstreamServer } from './options.ts'
import { createAskingRate } from './questions/asking-rate.ts'
import type { DownstreamClient, UpstreamEra, UpstreamState } from './upstream/upstream.ts'

export interface GatewayOptions extends GatewaySettings {
  readonly name: string
  readonly version: string
  /** The clocks of asking itself, in milliseconds. */
  readonly asking: ServerClocks
  readonly http?: Omit<HttpOptions, 'clock' | 'login'>
}

/** MCP clients on one side, the servers people already run on the other, and every question passed in between. */
export interface Gateway {
  /** Serves `/mcp` and `/mcp/{server}`; false: the path is not the gateway's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** A server for one client on the way that is not HTTP: all upstreams joined, or the one named. */
  serverFor(only?: string): ServerFactory
  upstreams(): readonly { readonly id: string; readonly state: UpstreamState }[]
  readonly parked: number
  readonly sessions: number
  close(): Promise<void>
}

/** How long the first client is held up by an upstream that does not say what it speaks. */
const probeMs = 3_000

export function createGateway(options: GatewayOptions): Gateway {
  const { assent, servers, clocks, limits, name, version } = options
  const { clock } = assent
  const registry = createClientRegistry()
  const subscribers = createSubscribers()
  const completions = createCompletions()
  const catalog = createCatalog({ clock, listsMs: clocks.lists })
  const negotiations = createNegotiations(options.news)
  const withAccount = (one: UpstreamServer, client: DownstreamClient) => credentialFor(assent, one, client)
  const parked = {
    most: limits.parked,
    mostEach: assent.limits.openPerRequester,
    parkMs: clocks.park,
    askMs: clocks.upstreamAsk,
  }
  const gateway: GatewayContext = {
    settings: options,
    catalog,
    completions,
    parking: createParking(parked, clock),
    levels: createLogLevels(),
    subscriptions: createSubscriptions(withAccount, clock),
    accountWatch: createAccountWatch(assent.connections, providersOf(servers), clock),
    negotiations,
    mayAsk: createAskingRate(limits.asksPerMinute, clock),
    inbox: () => assent.approvals.policy.fallback === 'inbox',
    withAccount,
    accountRejected: (one, client) => credentialRejected(assent, one, client),
  }
  const asking: AskingSettings = { assent, name, clocks: options.asking, urlBy: 'push', assumeUrl: false, quirks: [] }
  const servings = new Map<string, HttpServing>()
  const needsSecret = ({ provider = '' }: UpstreamServer) =>
    assent.connections.providers.get(provider)?.sending.env !== undefined
  const erasOf = findEras(probeMs, negotiations, needsSecret)

  const listening = servers.map(({ id, upstream }) =>
    upstream.listen(({ method, params, requester, sessionKey }) => {
      if (method.endsWith('/list_changed')) catalog.forget(id, requester)
      if (method === 'notifications/elicitation/complete') completions.tell(String(params.elicitationId))
      registry.tell(id, sessionKey, method, params)
      if (sessionKey === undefined) subscribers.tell(id, requester, method, params)
    }),
  )

  const stopMinding = assent.connections.events.listen(({ participant, provider }) => {
    for (const { id, upstream } of servers.filter((one) => one.provider === provider)) {
      catalog.forget(id)
      upstream.accountChanged(participant)
    }
  })

  const factoryFor =
    (scope: Scope): ServerFactory =>
    async ({ session, era: servedEra, requestInfo, authInfo }) => {
      const eras = await erasOf(scope.servers)
      const capabilities = capabilitiesOf(eras)
      const instructions = scope.joined ? undefined : eras[0]?.instructions
      const sessionKey = session && sessionKeyOf(session.id)
      const tell = (server: string, method: string, params: JsonObject) => {
        catalog.forget(server)
        registry.tell(server, sessionKey, method, params)
      }
      // Over standard input and output each client has a server of its own, in either era.
      const isLasting = servedEra === 'legacy' || requestInfo === undefined
      const told = isLasting ? tell : undefined
      const { mcp, left } = gatewayServer(gateway, asking, scope, capabilities, { name, version }, instructions, told)
      if (servedEra === 'modern') {
        const schema = await calledSchema(gateway, scope, requestInfo, authInfo)
        if (schema !== undefined) knowsSchema(mcp, schema)
      }
      if (isLasting) {
        const closed = session?.closed ?? closing(mcp)
        const servers = scope.servers.map(({ id }) => id)
        registry.add({ mcp, servers, sessionKey, getsEverything: servedEra === 'legacy' }, closed)
        closed.addEventListener('abort', left, { once: true })
      }
      return mcp
    }

  function scopeOf(only?: string): Scope {
    return only === undefined
      ? { joined: true, servers }
      : { joined: false, servers: servers.filter(({ id }) => id === only) }
  }

  function servingFor(path: string): HttpServing | undefined {
    const known = servings.get(path)
    if (known !== undefined) return known
    if (path !== '' && !servers.some(({ id }) => id === path)) return undefined
    const scope = scopeOf(path === '' ? undefined : path)
    const made = serveHttp(factoryFor(scope), {
      ...options.http,
      clock,
      onListen: (listening) => subscribers.add(gateway, scope, listening),
      ...(!scope.joined && scope.servers[0] && { fastPath: fastPath(gateway, scope.servers[0], { name, version }) }),
      ...(assent.login && { login: assent.login }),
      ...(options.onError && { onError: options.onError }),
    })
    servings.set(path, made)
    return made
  }

  return {
    handle(request, response) {
      const path = pathOf(request.url ?? '/')
      const serving = path === undefined ? undefined : servingFor(path)
      if (serving === undefined) return false
      ;(serving.node as RequestListener)(request, response as never)
      return true
    },
    serverFor: (only) => factoryFor(scopeOf(only)),
    upstreams: () => servers.map(({ id, upstream }: UpstreamServer) => ({ id, state: upstream.state() })),
    get parked() {
      return gateway.parking.size
    },
    get sessions() {
      return [...servings.values()].reduce((sum, { sessions }) => sum + sessions, 0)
    },
    async close() {
      for (const stop of listening) stop()
      stopMinding()
      gateway.accountWatch.close()
      gateway.parking.close()
      await Promise.all([...servings.values()].map((serving) => serving.close()))
      await Promise.all(servers.map(({ upstream }) => upstream.close()))
    },
  }
}

function providersOf(server: readonly UpstreamServer[]): ReadonlySet<string> {
  return new Set(server.flatMap(({ provider }) => (provider === undefined ? [] : [provider])))
}

/** The end of a client that is not served over HTTP. */
function closing({ server }: McpServer): AbortSignal {
  const ending = new AbortController()
  const before = server.onclose
  server.onclose = () => {
    before?.()
    ending.abort()
  }
  return ending.signal
}

/** The part of the path after `/mcp`; undefined: not ours. */
function pathOf(url: string): string | undefined {
  // Not read as a url: what comes from outside need not be one.
  const [path = ''] = url.split(/[?#]/, 1)
  if (path === '/mcp' || path === '/mcp/') return ''
  return (
    /^\/mcp\/([a-z0-9-]{1,32})\/?$/.exec(path)?.[1] ??
    (path.startsWith('/.well-known/oauth-protected-resource') ? '' : undefined)
  )
}

/** What the upstreams can do together; one that did not say yet may have everything. */
function capabilitiesOf(eras: readonly (UpstreamEra | undefined)[]): JsonObject {
  const has = (name: string) => eras.some((era) => era === undefined || era.capabilities[name] !== undefined)
  return {
    tools: { listChanged: true },
    ...(has('prompts') && { prompts: { listChanged: true } }),
    ...(has('resources') && { resources: { listChanged: true, subscribe: true } }),
    ...(has('completions') && { completions: {} }),
    ...(has('logging') && { logging: {} }),
  }
}
