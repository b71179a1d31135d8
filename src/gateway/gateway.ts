import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/server'
import type { StdioServerHandle } from '@modelcontextprotocol/server/stdio'
import { rememberUnseenSessions } from '../asking/answers.ts'
import type { AssentForServers } from '../asking/needs.ts'
import { inBackground } from '../base/under-way.ts'
import type { LeftOut } from '../call/news.ts'
import { sentCredential } from '../connection/credential/sent-credential.ts'
import { createPost, type Post } from '../instance/post.ts'
import { takeHandover } from '../mcp/http/incoming.ts'
import { shareLimits } from '../mcp/http/limits.ts'
import { type HttpServing, serveHttp } from '../mcp/http/serve.ts'
import type { ServerFactory } from '../mcp/http/session/served-session.ts'
import { shareSessions } from '../mcp/http/session/sharing.ts'
import { knownClients } from '../mcp/known-clients.ts'
import { servePipe } from '../mcp/stdio.ts'
import { createAccountWatch } from './accounts/account-watch.ts'
import { CapturedCall } from './call/fast-path/captured-call.ts'
import { fastPath } from './call/fast-path/fast-path.ts'
import { serveRounds } from './call/fast-path/rounds.ts'
import { createCatalog, type ListedTool } from './catalog/catalog.ts'
import { createMissingServers, type MissingOptions } from './catalog/missing-servers.ts'
import type { Scope } from './catalog/route.ts'
import type { GatewayContext } from './context.ts'
import { createClientRegistry } from './downstream/client-registry.ts'
import { findEras } from './downstream/eras.ts'
import { createLogLevels } from './downstream/log-levels.ts'
import { createNegotiations } from './downstream/negotiations.ts'
import { createNotices, type UpstreamChange } from './downstream/notices.ts'
import { gatewayServer } from './downstream/server.ts'
import { serverFactory } from './downstream/server-factory.ts'
import { createSubscribers } from './downstream/subscribers.ts'
import { createSubscriptions } from './downstream/subscriptions.ts'
import { createCompletions } from './forward/completions.ts'
import { createParkedElsewhere } from './forward/parked-elsewhere.ts'
import { createParking } from './forward/parking.ts'
import { type GatewayOptions, settingsFrom, type UpstreamServer } from './options.ts'
import { createAskingRate } from './questions/asking-rate.ts'
import { shareUpstreams } from './upstream/held/share-upstreams.ts'
import type { DownstreamClient, RpcId, UpstreamNotification, UpstreamState } from './upstream/upstream.ts'

/** MCP clients on one side, MCP servers on the other, and every question passed in between. */
export interface Gateway {
  /** Serves `/mcp` and `/mcp/{server}`. False: the path is not the gateway's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Serves one client over a pipe: all servers joined, or the one named. Default: this process's standard input and output. */
  stdio(only?: string, transport?: Transport): StdioServerHandle
  /** Starts or reaches every server that is not lazy, so that the first client need not wait for it. Returns at once. */
  start(): void
  /** The id of this process among those that share its store. */
  readonly instance: string
  /** By which this process exchanges word with them. */
  readonly post: Post
  /** Announces this process to those that share its store. The first request does so too. */
  join(): void
  /** Tells the others that this process takes no new calls soon. */
  stopping(): Promise<void>
  /** The state of each upstream, and what is left out of its lists because it cannot be used. */
  upstreams(): readonly {
    readonly id: string
    readonly state: UpstreamState
    readonly leftOut: readonly LeftOut[]
    /** Its tools as they were listed last; absent while no list is known. */
    readonly tools?: readonly ListedTool[]
  }[]
  /** Calls that wait for a 2026 client to come back. */
  readonly parked: number
  /** Open 2025 sessions. */
  readonly sessions: number
  close(): Promise<void>
}

export function createGateway(options: GatewayOptions): Gateway {
  const gateway = contextFrom(
    options,
    (change) => passOn(change),
    (change, isTold) => hear(change, !isTold),
  )
  const { settings, catalog, completions } = gateway
  const { assent, servers } = settings
  const registry = createClientRegistry()
  const subscribers = createSubscribers()
  const endpoints = new Map<string, HttpServing>()
  const shared = shareLimits(options.http?.limits)
  const erasOf = findEras(gateway)
  const factoryFor = (scope: Scope, takeCaptured: Parameters<typeof serverFactory>[1]['takeCaptured']): ServerFactory =>
    serverFactory(gateway, { scope, registry, erasOf, takeCaptured, makeServer: gatewayServer })

  /** What changed at an upstream, here or at another instance. */
  function hear({ upstream: id, method, params, requester, sessionKey }: UpstreamChange, mayTell: boolean): void {
    if (method.endsWith('/list_changed')) catalog.forget(id, requester)
    if (method === 'notifications/elicitation/complete') completions.tell(String(params.elicitationId))
    if (requester === undefined) return
    if (mayTell) registry.tell(id, sessionKey, method, params)
    if (sessionKey === undefined) subscribers.tell(id, requester, method, params)
  }

  function passOn(change: UpstreamNotification): void {
    const { upstream: id, method, params, sessionKey } = change
    hear(change, false)
    // Where this instance does not know the client, another one does.
    const isTold = registry.knows(id, sessionKey)
    const told = () => registry.tell(id, sessionKey, method, params)
    inBackground(gateway.notices.share(change, isTold).then(told))
  }
  const stopListening = servers.map(({ upstream }) => upstream.listen(passOn))
  const stopHearingAllowed = assent.definitions.events.listen(({ server }) => {
    const method = 'notifications/tools/list_changed'
    registry.tellChanged(server, method)
    subscribers.tellChanged(server, method)
  })
  const stopWatchingAccounts = assent.connections.events.listen(({ participant, provider }) => {
    for (const { id, upstream } of servers.filter((one) => one.provider === provider)) {
      catalog.forget(id)
      upstream.accountChanged(participant)
    }
  })

  function scopeOf(only?: string): Scope {
    return only === undefined
      ? { joined: true, servers }
      : { joined: false, servers: servers.filter(({ id }) => id === only) }
  }

  function endpointAt(path: string): HttpServing | undefined {
    const known = endpoints.get(path)
    if (known !== undefined) return known
    if (path !== '' && !servers.some(({ id }) => id === path)) return undefined
    const scope = scopeOf(path === '' ? undefined : path)
    gateway.post.join()
    const endpoint = serveHttp(
      factoryFor(scope, (ctx) => capturedIn(takeHandover(ctx.http?.req))),
      {
        serverIdle: '5s',
        ...options.http,
        shared,
        clock: assent.clock,
        onListen: (listening) => subscribers.add(gateway, scope, listening),
        fastPath: fastPath(gateway, scope, serveRounds(gateway, scope)),
        sharing: shareSessions({
          vault: assent.vault,
          clock: assent.clock,
          sessions: assent.store.sessions,
          post: gateway.post,
          endpoint: path,
          levelSet: gateway.levels.set,
        }),
        ...(assent.login && { login: assent.login }),
        ...(options.onError && { onError: options.onError }),
      },
    )
    endpoints.set(path, endpoint)
    return endpoint
  }

  return {
    handle(request, response) {
      const path = pathOf(request.url ?? '/')
      const endpoint = path === undefined ? undefined : endpointAt(path)
      if (endpoint === undefined) return false
      ;(endpoint.node as RequestListener)(request, response as never)
      return true
    },
    stdio(only, transport) {
      const scope = scopeOf(only)
      const handedOver = new Map<RpcId, object>()
      const factory = factoryFor(scope, ({ mcpReq }) => {
        const captured = capturedIn(handedOver.get(mcpReq.id))
        handedOver.delete(mcpReq.id)
        return captured
      })
      return servePipe(factory as never, {
        fastPath: fastPath(gateway, scope, serveRounds(gateway, scope)),
        handedOver: (id, handover) => void handedOver.set(id, handover),
        ...(transport && { transport }),
        ...(options.onError && { onError: options.onError }),
      })
    },
    start() {
      inBackground(erasOf(servers.filter(({ isLazy }) => !isLazy)))
    },
    instance: gateway.post.id,
    post: gateway.post,
    join: () => gateway.post.join(),
    stopping: () => gateway.post.stopping(),
    upstreams: () =>
      servers.map(({ id, upstream }) => {
        const tools = catalog.listedTools(id)
        return { id, state: upstream.state(), leftOut: catalog.leftOut(id), ...(tools && { tools }) }
      }),
    get parked() {
      return gateway.parking.size
    },
    get sessions() {
      return [...endpoints.values()].reduce((sum, { sessions }) => sum + sessions, 0)
    },
    async close() {
      // Sessions with upstreams are left to others, if there are any.
      await gateway.post.stopping().catch(options.onError ?? (() => {}))
      for (const stop of stopListening) stop()
      stopHearingAllowed()
      stopWatchingAccounts()
      gateway.accountWatch.close()
      gateway.missing.close()
      gateway.parking.close()
      gateway.parkedElsewhere.close()
      gateway.notices.close()
      await gateway.upstreams.close()
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()))
      await Promise.all(servers.map(({ upstream }) => upstream.close()))
      await gateway.post.leave()
    },
  }
}

function contextFrom(
  options: GatewayOptions,
  tell: MissingOptions['tell'],
  hear: Parameters<typeof createNotices>[2],
): GatewayContext {
  const { onError = () => {} } = options
  const { clock, store, vault } = options.assent
  const post = createPost({ store, vault, clock, onError })
  const upstreams = shareUpstreams({ store, vault, clock, post, onError })
  const settings = settingsFrom(options, upstreams)
  const { assent, servers, clocks, limits } = settings
  const { name = 'assent', version = '0', quirks = [], unseenWithin, urlBy = 'push' } = options
  const withAccount = (server: UpstreamServer, client: DownstreamClient) => credentialFor(assent, server, client)
  const parked = {
    most: limits.parked,
    mostEach: assent.limits.openPerRequester,
    parkMs: clocks.park,
    askMs: clocks.upstreamAsk,
  }
  const catalog = createCatalog({
    clock,
    listsMs: clocks.lists,
    limits: { ...limits, listValues: settings.messageValues },
    messages: settings.messages,
    news: settings.news,
    definitions: assent.definitions,
    toolsPage: `${assent.pages.publicUrl}/console/tools`,
  })
  const parking = createParking(parked, clock)
  return {
    settings,
    self: { name, version },
    asking: {
      assent,
      name,
      clocks,
      urlBy,
      assumeUrl: false,
      inbox: () => assent.approvals.policy.fallback === 'inbox',
      quirks: [...knownClients, ...quirks],
      unseenWithin,
      unseenSessions: rememberUnseenSessions(),
    },
    catalog,
    missing: createMissingServers({ clock, news: settings.news, catalog, tell }),
    completions: createCompletions(),
    post,
    upstreams,
    notices: createNotices(post, clock, hear),
    parkedElsewhere: createParkedElsewhere(parking, post, clock),
    parking,
    levels: createLogLevels(),
    subscriptions: createSubscriptions(withAccount, clock),
    accountWatch: createAccountWatch(assent.connections, () => providersOf(servers), clock),
    negotiations: createNegotiations(settings.news),
    mayAsk: createAskingRate(limits.asksPerMinute, clock),
    asks: () => ({ asks: settings.elicitation, inbox: assent.approvals.policy.fallback === 'inbox' }),
    withAccount,
    accountRejected: (server, client) => credentialRejected(assent, server, client),
  }
}

function providersOf(servers: readonly UpstreamServer[]): ReadonlySet<string> {
  return new Set(servers.flatMap(({ provider }) => (provider === undefined ? [] : [provider])))
}

function capturedIn(handover: object | undefined): CapturedCall | undefined {
  return handover instanceof CapturedCall ? handover : undefined
}

/** The part of the path after `/mcp`. Undefined: the path is not the gateway's. */
function pathOf(url: string): string | undefined {
  // Not parsed as a URL: what a client sends need not be one.
  const [path = ''] = url.split(/[?#]/, 1)
  if (path === '/mcp' || path === '/mcp/') return ''
  return (
    /^\/mcp\/([a-z0-9-]{1,32})\/?$/.exec(path)?.[1] ??
    (path.startsWith('/.well-known/oauth-protected-resource') ? '' : undefined)
  )
}

/** The client with the account that an upstream needs. Undefined: it is not connected; nobody is asked here. */
async function credentialFor(
  { connections }: AssentForServers,
  { provider }: UpstreamServer,
  client: DownstreamClient,
): Promise<DownstreamClient | undefined> {
  if (provider === undefined) return client
  const access = await connections.access(client.requester.participant, provider)
  if (access.kind !== 'ready') return undefined
  return { ...client, credential: sentCredential(access.sending, access.secret) }
}

/** To be called when the upstream rejected the account of this client. */
async function credentialRejected(
  { connections }: AssentForServers,
  { provider }: UpstreamServer,
  { requester, credential }: DownstreamClient,
): Promise<void> {
  if (provider === undefined || credential === undefined) return
  const access = await connections.access(requester.participant, provider)
  // Another request may have renewed it in the meantime.
  if (access.kind === 'ready' && credential.value.endsWith(access.secret)) await connections.rejected(access)
}
