import { createServer, type Server } from 'node:http'
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common'
import type { HttpAdapterHost } from '@nestjs/core'
import type { McpStrategy } from '@rekog/mcp-nest'
import type { Assent } from '../assent.ts'
import { BadArgument } from '../base/errors.ts'
import type { Web } from '../web/web.ts'
import { attachStrategy } from './attach-strategy.ts'
import type { ElicitationModuleOptions } from './options.ts'
import { openRuntime, type Runtime } from './runtime.ts'

/** What the module has made, for an application's own providers: questions, connections, grants, pages. */
export class McpElicitation implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly runtime: Runtime
  readonly #adapters: HttpAdapterHost
  readonly #serverUrl: URL
  readonly #log: Logger
  #pages: Server | undefined

  constructor(runtime: Runtime, serverUrl: string, adapters: HttpAdapterHost, log: Logger) {
    this.runtime = runtime
    this.#serverUrl = new URL(serverUrl)
    this.#adapters = adapters
    this.#log = log
  }

  /** Asking, answering and remembering, without MCP. */
  get assent(): Assent {
    return this.runtime.assent
  }

  get web(): Web {
    return this.runtime.web
  }

  /** A link that enrolls one browser for the local person, once, where the application knows no users. */
  enrollLink(next?: string): Promise<string> {
    return this.runtime.web.enrollLink(next)
  }

  async onApplicationBootstrap(): Promise<void> {
    const { people } = this.runtime
    // An application without HTTP, such as one over stdio, still needs its pages.
    if (this.#adapters.httpAdapter == null) this.#pages = await listen(this.runtime.web, this.#serverUrl)
    if (people.hasUsers) return
    this.#log.log(`To answer questions in a browser, open this link in it once: ${await this.enrollLink()}`)
  }

  onModuleDestroy(): void {
    // Live inboxes would keep the HTTP server from closing.
    this.runtime.web.close()
    this.#pages?.close()
    this.#pages?.closeAllConnections()
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.assent.close()
  }
}

/** Opens the store, and attaches the strategies. */
export async function openElicitation(
  options: ElicitationModuleOptions,
  strategies: readonly McpStrategy[],
  adapters: HttpAdapterHost,
): Promise<McpElicitation> {
  if (strategies.length === 0) {
    throw new BadArgument(
      'McpElicitationModule found no McpStrategy. Provide it as MCP_STRATEGY, or name it in "strategies".',
    )
  }
  const log = new Logger('McpElicitationModule')
  const runtime = await openRuntime(options, log)
  for (const strategy of strategies) attachStrategy(strategy, runtime)
  return new McpElicitation(runtime, options.serverUrl, adapters, log)
}

function listen(web: Web, { hostname, port }: URL): Promise<Server> {
  const server = createServer(web.node)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port), hostname, () => resolve(server))
  })
}
