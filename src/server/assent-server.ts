import {
  type CallToolResult,
  type GetPromptResult,
  type Implementation,
  type InputRequiredResult,
  McpServer,
  type McpServerFactory,
  type McpServerOptions,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type ServeStdioOptions, type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { rememberUnseenSessions } from '../asking/answers.ts'
import type { Asks } from '../asking/asks.ts'
import { attach } from '../asking/attach.ts'
import { type AskingSettings, contextOf, type ServerClockOptions, serverClocks } from '../asking/context.ts'
import type { AssentForServers } from '../asking/needs.ts'
import { withRequiredPages } from '../asking/required-pages.ts'
import { runOther, runTool } from '../asking/run-handler.ts'
import type { Duration } from '../base/durations.ts'
import { type HttpOptions, type HttpServing, serveHttp } from '../mcp/http/serve.ts'
import type { ServerFactory } from '../mcp/http/session/served-session.ts'
import { knownClients } from '../mcp/known-clients.ts'
import { PipeTransport } from '../mcp/pipe-transport.ts'
import type { Quirk } from '../mcp/quirks.ts'
import { type AccessToolsOptions, accessToolsFrom } from './access-tool-options.ts'
import { addAccessTools } from './access-tools.ts'
import { approvedTool } from './approved-tool.ts'
import { type ArgumentsHandler, type HandlerArguments, splitArguments } from './handler-arguments.ts'
import { registeredTools } from './registered-tools.ts'

export interface AssentServerOptions {
  /** The server's name for people. */
  readonly name: string
  /** Time limits. */
  readonly clocks?: ServerClockOptions
  /** How a 2025-11-25 client is sent to a page: by a request during the call, or by the error -32042. Default: push. */
  readonly urlBy?: 'push' | 'error'
  /** Send 2025 clients without a session to pages by the error -32042, although they declared nothing. Default: false. */
  readonly assumeUrl?: boolean
  /** What happens where a client cannot be asked: the question waits in the inbox, or the call is refused. Default: deny. */
  readonly fallback?: 'inbox' | 'deny'
  /** What named clients do differently from what they declare, besides what is known of published clients. */
  readonly quirks?: readonly Quirk[]
  /** For clients without such a quirk: an answer to an approval that comes sooner counts for nothing. Default: none. */
  readonly unseenWithin?: Duration
  /**
   * Adds `request_access`, `check_access_status` and `revoke_access` for these providers, or all; as an object, under other
   * names. Default: none.
   */
  readonly accessTools?: boolean | readonly string[] | AccessToolsOptions
}

type Maybe<T> = T | Promise<T>

/** The result of a tool, or questions made with the SDK. */
type ToolResult = CallToolResult | InputRequiredResult

/** Lets the tools, prompts and resources of MCP servers ask a person. */
export interface AssentServer {
  /** Makes an SDK server whose handlers may ask. */
  server(info: Implementation, options?: McpServerOptions): McpServer
  /** The same for an existing SDK server. Call it before you register anything. */
  attach(server: McpServer): McpServer
  /** A tool that asks: `registerTool(name, config, tool(async (args, ask, ctx) => …))`. */
  tool<Args>(
    handler: (args: Args, ask: Asks, ctx: ServerContext) => Maybe<ToolResult>,
  ): ArgumentsHandler<Args, ToolResult>
  /** A tool without arguments that asks. */
  plainTool(handler: (ask: Asks, ctx: ServerContext) => Maybe<ToolResult>): (ctx: ServerContext) => Promise<ToolResult>
  /** A tool whose every call is decided by policy, and approved where it says so, before the handler runs. */
  approvedTool<Args>(
    handler: (args: Args, ask: Asks, ctx: ServerContext) => Maybe<ToolResult>,
  ): ArgumentsHandler<Args, ToolResult>
  prompt<Args>(
    handler: (args: Args, ask: Asks, ctx: ServerContext) => Maybe<GetPromptResult | InputRequiredResult>,
  ): ArgumentsHandler<Args, GetPromptResult | InputRequiredResult>
  /** A prompt without arguments that asks. */
  plainPrompt(
    handler: (ask: Asks, ctx: ServerContext) => Maybe<GetPromptResult | InputRequiredResult>,
  ): (ctx: ServerContext) => Promise<GetPromptResult | InputRequiredResult>
  resource<Rest extends unknown[]>(
    handler: (uri: URL, ask: Asks, ...rest: Rest) => Maybe<ReadResourceResult | InputRequiredResult>,
  ): (uri: URL, ...rest: Rest) => Promise<ReadResourceResult | InputRequiredResult>
  /** Serves over HTTP: 2026-07-28 by the request, 2025 by the session. */
  http(factory: ServerFactory, options?: Omit<HttpOptions, 'clock' | 'login'>): HttpServing
  /** Serves one client of any revision over this process's standard input and output. */
  stdio(factory: McpServerFactory, options?: ServeStdioOptions): StdioServerHandle
}

/** Lets MCP servers made with the SDK ask people through an Assent. */
export function createAssentServer(assent: AssentForServers, options: AssentServerOptions): AssentServer {
  const settings = askingSettings(assent, options)
  const accessTools = accessToolsFrom(assent, options.accessTools ?? false)
  const attached = (server: McpServer) => {
    attach(settings, server, registeredTools(server))
    if (accessTools !== undefined) addAccessTools(settings, server, accessTools)
    return server
  }
  return {
    server: (info, serverOptions) => attached(new McpServer(info, serverOptions)),
    attach: attached,
    tool:
      <Args>(handler: (args: Args, ask: Asks, ctx: ServerContext) => Maybe<ToolResult>) =>
      (...given: HandlerArguments<Args>) => {
        const [args, ctx] = splitArguments(given)
        return asTool(ctx, (ask) => handler(args, ask, ctx))
      },
    plainTool: (handler) => (ctx) => asTool(ctx, (ask) => handler(ask, ctx)),
    approvedTool: (handler) => approvedTool(handler),
    prompt:
      <Args>(handler: (args: Args, ask: Asks, ctx: ServerContext) => Maybe<GetPromptResult | InputRequiredResult>) =>
      (...given: HandlerArguments<Args>) => {
        const [args, ctx] = splitArguments(given)
        return asOther(ctx, (ask) => handler(args, ask, ctx))
      },
    plainPrompt: (handler) => (ctx) => asOther(ctx, (ask) => handler(ask, ctx)),
    resource:
      (handler) =>
      (uri, ...rest) =>
        asOther(rest.at(-1) as ServerContext, (ask) => handler(uri, ask, ...rest)),
    http: (factory, httpOptions) =>
      serveHttp(factory, { ...httpOptions, clock: assent.clock, ...(assent.login && { login: assent.login }) }),
    stdio: (factory, stdioOptions) => serveStdio(factory, { transport: new PipeTransport(), ...stdioOptions }),
  }
}

function asTool<Result>(ctx: ServerContext, run: (ask: Asks) => Maybe<Result>): Promise<Result | ToolResult> {
  const context = contextOf(ctx)
  return runTool(context, withRequiredPages(context, run))
}

function asOther<Result>(ctx: ServerContext, run: (ask: Asks) => Maybe<Result>): Promise<Result | InputRequiredResult> {
  const context = contextOf(ctx)
  return runOther(context, withRequiredPages(context, run))
}

/** The settings of asking, with all defaults. */
export function askingSettings(
  assent: AssentForServers,
  { name, clocks = {}, ...options }: AssentServerOptions,
): AskingSettings {
  return {
    assent,
    name,
    clocks: serverClocks(assent, clocks),
    urlBy: options.urlBy ?? 'push',
    assumeUrl: options.assumeUrl ?? false,
    inbox: () => options.fallback === 'inbox',
    quirks: [...knownClients, ...(options.quirks ?? [])],
    unseenWithin: options.unseenWithin,
    unseenSessions: rememberUnseenSessions(),
  }
}
