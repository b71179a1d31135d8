import type { McpServer, Server, ServerContext } from '@modelcontextprotocol/server'
import type { McpServerOptions, McpStrategy } from '@rekog/mcp-nest'
import { serverDefinitionDigest, type ToolDefinition, toolFacts } from '../approval/tool-call.ts'
import { attach } from '../asking/attach.ts'
import type { AskingSettings, ToolSource } from '../asking/context.ts'
import { type BoundHandler, type HandledRequest, runPipeline, runUnidentified } from './run-pipeline.ts'
import type { Runtime } from './runtime.ts'
import { senderOf } from './sender.ts'

type SetRequestHandler = (method: string, ...rest: unknown[]) => void
type Bound = Map<string, BoundHandler>

const askable = new Set(['tools/call', 'prompts/get', 'resources/read'])
const runtimes = new WeakMap<object, Runtime>()
/** The request that handlers are being bound for, while MCP-Nest binds them. */
let binding: Binding | undefined

interface Binding {
  /** A 2025 session of `AssentTransport` binds once, so its requests are known only when they are handled. */
  requestOf(): unknown
  readonly collect?: Bound
}

/** The module that serves a strategy, by the strategy's options; undefined before the module was made. */
export function runtimeOf(options: McpServerOptions): Runtime | undefined {
  return runtimes.get(options)
}

/** Lets the handlers of a strategy ask: its servers are attached before MCP-Nest binds their handlers. */
export function attachStrategy(strategy: McpStrategy, runtime: Runtime): void {
  const { options } = strategy
  if (runtimes.has(options)) return
  runtimes.set(options, runtime)
  const settings = runtime.settingsFor(options.title ?? options.name)
  const { serverMutator } = options
  options.serverMutator = (server) => {
    attachServer(settings, runtime, server as unknown as McpServer)
    return serverMutator === undefined ? server : serverMutator(server)
  }
  const { bindRequestHandlers } = strategy
  strategy.bindRequestHandlers = (server, session, request) => {
    // `AssentTransport` names the request itself.
    withBinding(binding ?? { requestOf: () => request }, () =>
      bindRequestHandlers.call(strategy, server, session, request),
    )
  }
}

/** Binds handlers whose request is found when they are called. */
export function bindingFor(requestOf: () => unknown, bind: () => void): void {
  withBinding({ requestOf }, bind)
}

/** The handlers that `bind` sets for a request, without setting them at the server. */
export function collectHandlers(bind: () => void): ReadonlyMap<string, BoundHandler> {
  const collect: Bound = new Map()
  withBinding({ requestOf: () => undefined, collect }, bind)
  return collect
}

function withBinding(next: Binding, bind: () => void): void {
  const outer = binding
  binding = next
  try {
    bind()
  } finally {
    binding = outer
  }
}

/**
 * `attach` makes the context of a request around the handler that it is given, and reads from the SDK's context who sent
 * it. So who sent it is put in below `attach`, and the pipeline is run above it.
 */
function attachServer(settings: AskingSettings, runtime: Runtime, mcp: McpServer): void {
  const { server } = mcp
  const listed: { tools?: () => { tools: ToolDefinition[] } } = {}
  const setAtServer = server.setRequestHandler.bind(server) as SetRequestHandler
  let latest: { readonly bound: BoundHandler; readonly requestOf: () => unknown } | undefined

  server.setRequestHandler = ((method, ...rest) => {
    if (latest === undefined) return setAtServer(method, ...rest)
    const { bound, requestOf } = latest
    const attached = rest[0] as BoundHandler
    return setAtServer(method, (message: HandledRequest, ctx: ServerContext) => {
      const sender = senderOf(runtime.people, requestOf(), ctx.http?.authInfo)
      if (sender.kind === 'unknown') return runUnidentified(message, ctx, bound)
      return attached(message, sender.kind === 'local' ? withAuth(ctx, undefined) : withAuth(ctx, sender.authInfo))
    })
  }) as SetRequestHandler as Server['setRequestHandler']
  attach(settings, mcp, toolsOf(listed))
  const setAttached = server.setRequestHandler as SetRequestHandler

  server.setRequestHandler = ((method, ...rest) => {
    const bound = rest[0] as BoundHandler
    const { requestOf = () => undefined, collect } = binding ?? {}
    if (method === 'tools/list') listed.tools = bound as unknown as NonNullable<typeof listed.tools>
    if (collect !== undefined) return collect.set(method, bound)
    if (!askable.has(method)) return setAttached(method, ...rest)
    latest = { bound, requestOf }
    try {
      setAttached(method, (message: HandledRequest, ctx: ServerContext) =>
        runPipeline(message, ctx, bound, {
          subOf: () => subOf(runtime, requestOf(), ctx),
          approvers: runtime.approvers,
        }),
      )
    } finally {
      latest = undefined
    }
  }) as SetRequestHandler as Server['setRequestHandler']
}

/** Read for each call: a guard may set the user after the handlers were bound. */
function subOf({ people }: Runtime, request: unknown, { http }: ServerContext): string | undefined {
  const sender = senderOf(people, request, http?.authInfo)
  return sender.kind === 'verified' ? sender.sub : undefined
}

function withAuth(ctx: ServerContext, authInfo: NonNullable<ServerContext['http']>['authInfo']): ServerContext {
  if (authInfo === undefined && ctx.http?.authInfo === undefined) return ctx
  const { authInfo: _, ...http } = ctx.http ?? {}
  return { ...ctx, http: { ...http, ...(authInfo !== undefined && { authInfo }) } } as ServerContext
}

/** The tools as MCP-Nest lists them to the sender of the request. */
function toolsOf(listed: { tools?: () => { tools: ToolDefinition[] } }): ToolSource {
  return {
    factsOf(name) {
      const definitions = (listed.tools?.().tools ?? []).map(definitionOf)
      const tool = definitions.find((definition) => definition.name === name) ?? { name }
      return toolFacts(tool, serverDefinitionDigest(definitions))
    },
    // Read by `@RequireApproval`, with the schema of the method that it is on.
    readArguments: async (_, given) => ({ value: given }),
  }
}

function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition) {
  return { name, title, description, inputSchema, outputSchema, annotations }
}
