import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { createMcpHandler, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import type { McpHttpHandler, McpSessionSeed, McpTransport, McpTransportContext } from '@rekog/mcp-nest'
import { BadArgument } from '../base/errors.ts'
import { type HttpOptions, type HttpServing, serveHttp } from '../mcp/http/serve.ts'
import { bindingFor, collectHandlers, runtimeOf } from './attach-strategy.ts'
import type { BoundHandler, HandledRequest } from './run-pipeline.ts'
import type { Runtime } from './runtime.ts'
import { rememberLogin, senderOf } from './sender.ts'

/** Options of `AssentTransport`. */
export interface AssentTransportOptions
  extends Pick<
    HttpOptions,
    'url' | 'requiredScopes' | 'allowedHosts' | 'allowedOrigins' | 'sessionIdle' | 'bodyTime' | 'limits'
  > {
  /** Default: `mcp`. */
  readonly endpoint?: string
}

/** A request as Express or Fastify gives it: the former is Node's own, the latter holds it. */
interface HostRequest extends IncomingMessage {
  readonly raw?: IncomingMessage
  readonly body?: unknown
}

interface HostReply extends ServerResponse {
  readonly raw?: ServerResponse
  hijack?(): void
}

/**
 * Serves an `McpStrategy` through Assent's own HTTP endpoint: 2025 sessions belong to the user who opened them, requests
 * with a foreign Host or Origin are refused, and with the module's `auth` tokens are verified and asked for. Use it instead
 * of `StreamableHttpTransport`.
 */
export class AssentTransport implements McpTransport {
  readonly kind = 'streamable-http'
  readonly #options: AssentTransportOptions
  readonly #request = new AsyncLocalStorage<HostRequest>()
  #isClaimed = false
  #serving: HttpServing | undefined
  #runtime: Runtime | undefined

  constructor(options: AssentTransportOptions = {}) {
    this.#options = options
  }

  /** For `McpHttpControllerFor`: the controller then owns the route, and its guards verify users. */
  get httpHandlers(): McpHttpHandler {
    this.#isClaimed = true
    const handle = (request: unknown, reply: unknown) => this.#handle(request as HostRequest, reply as HostReply)
    return { handlePost: handle, handleGet: handle, handleDelete: handle }
  }

  start(context: McpTransportContext): void {
    const runtime = runtimeOf(context.options)
    if (runtime === undefined) {
      throw new BadArgument(
        'AssentTransport needs McpElicitationModule. Import it, and provide the strategy as MCP_STRATEGY.',
      )
    }
    this.#runtime = runtime
    this.#serving = this.#serve(context, runtime)
    const { httpAdapter } = context
    const { login } = runtime.assent
    const handle = (request: HostRequest, reply: HostReply) => this.#handle(request, reply)
    if (httpAdapter === undefined) {
      if (this.#isClaimed) return
      throw new BadArgument(
        'AssentTransport needs the HTTP adapter. Call strategy.setHttpAdapter(app.getHttpAdapter()).',
      )
    }
    const path = `/${(this.#options.endpoint ?? 'mcp').replace(/^\/+/, '')}`
    if (login !== undefined) {
      for (const place of ['', path]) httpAdapter.get(`/.well-known/oauth-protected-resource${place}`, handle as never)
    }
    if (this.#isClaimed) return
    for (const method of ['post', 'get', 'delete'] as const) httpAdapter[method](path, handle as never)
  }

  notifyListChanged(kind: 'tools' | 'resources' | 'prompts'): void {
    const changed = { tools: 'toolsChanged', resources: 'resourcesChanged', prompts: 'promptsChanged' } as const
    this.#serving?.notify[changed[kind]]()
  }

  async close(): Promise<void> {
    await this.#serving?.close()
  }

  #serve(context: McpTransportContext, { assent, people }: Runtime): HttpServing {
    const { endpoint: _, ...options } = this.#options
    const { login, clock, pages } = assent
    return serveHttp(
      ({ era }) => {
        const seed: McpSessionSeed = { transport: this.kind, stateless: era === 'modern', era }
        if (era === 'modern') return context.createBoundServer(seed, rawOf(this.#request.getStore())) as never
        return this.#sessionServer(context, seed) as never
      },
      {
        ...options,
        createHandler: handlerFor(context),
        clock,
        ...(login !== undefined && { login }),
        ...(login === undefined &&
          people.hasUsers && {
            isHosted: true,
            allowedHosts: [new URL(pages.publicUrl).hostname, ...(options.allowedHosts ?? [])],
          }),
        onError: (error) => context.logger.error('Serving an MCP request failed', error),
      },
    )
  }

  /** The handlers of a session are bound anew for each of its requests, so that they see its user, and not the first one's. */
  #sessionServer(context: McpTransportContext, seed: McpSessionSeed): McpServer {
    const server = context.createServer()
    const requestOf = () => rawOf(this.#request.getStore())
    const handlersFor = (request: unknown) => collectHandlers(() => context.bindRequestHandlers(server, seed, request))
    const set = server.server.setRequestHandler.bind(server.server) as (method: string, handler: BoundHandler) => void
    bindingFor(requestOf, () => {
      for (const method of handlersFor(undefined).keys()) {
        set(method, (message: HandledRequest, ctx: ServerContext) =>
          (handlersFor(requestOf()).get(method) as BoundHandler)(message, ctx),
        )
      }
    })
    return server as unknown as McpServer
  }

  #handle(request: HostRequest, reply: HostReply): void {
    const { assent, people } = this.#runtime as Runtime
    const incoming = request.raw ?? request
    // Fastify must not answer as well.
    reply.hijack?.()
    if (assent.login !== undefined) rememberLogin(incoming)
    // Fastify keeps the user at its own request, and handlers see Node's.
    else if (incoming !== request && 'user' in request) Object.assign(incoming, { user: request.user })
    const sender = senderOf(people, incoming)
    const known = {
      authInfo: sender.kind === 'verified' ? sender.authInfo : undefined,
      body: request.body ?? undefined,
    }
    this.#request.run(request, () => this.#serving?.handle(incoming, reply.raw ?? reply, known))
  }
}

/** MCP-Nest is CommonJS, and loads the SDK as such: a copy of its own, whose handler alone takes its servers. */
function handlerFor(context: McpTransportContext): typeof createMcpHandler {
  if ((context.createServer() as object).constructor === McpServer) return createMcpHandler
  const require = createRequire(createRequire(import.meta.url).resolve('@rekog/mcp-nest'))
  return require('@modelcontextprotocol/server').createMcpHandler
}

const rawOf = (request: HostRequest | undefined) => request?.raw ?? request
