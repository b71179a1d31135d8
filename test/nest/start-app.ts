import 'reflect-metadata'
import {
  Controller,
  type DynamicModule,
  type ExecutionContext,
  type INestApplication,
  Module,
  type Type,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common'
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core'
import {
  MCP_STRATEGY,
  McpHttpControllerFor,
  type McpServerOptions,
  McpStrategy,
  StreamableHttpTransport,
} from '@rekog/mcp-nest'
import { type AssentTransport, McpElicitation, McpElicitationModule, type RootOptions } from '../../src/nest/index.ts'
import { AskingTools } from './tools.ts'

export interface TestApp {
  readonly app: INestApplication
  /** Of the MCP endpoint. */
  readonly url: URL
  readonly origin: string
  readonly elicitation: McpElicitation
}

export interface AppOptions {
  /** Left out: the module is imported with these options. False: it is not imported. */
  readonly module?: Partial<RootOptions> | ((origin: string) => DynamicModule) | false
  /** Whether a guard on the MCP route verifies `Bearer alice`. */
  readonly guarded?: boolean
  readonly adapter?: () => AbstractHttpAdapter
  /** Default: that of MCP-Nest, with sessions. */
  readonly transport?: StreamableHttpTransport | AssentTransport
  readonly tools?: Type<unknown>[]
  readonly strategy?: Partial<McpServerOptions>
}

/** Believes the token's text to be the user's name. Browsers send it as the cookie `user`. */
export class TestGuard {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest()
    const sub =
      /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1] ??
      /(?:^|; )user=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
    if (sub === undefined) throw new UnauthorizedException()
    request.user = { sub }
    return true
  }
}

/** Starts a Nest application as the guide writes it. */
export async function startApp(port: string, options: AppOptions = {}): Promise<TestApp> {
  const origin = `http://127.0.0.1:${port}`
  const { transport = new StreamableHttpTransport({ statefulMode: true }) } = options
  const strategy = new McpStrategy({
    name: 'my-mcp-server',
    version: '1.0.0',
    transports: [transport],
    logging: false,
    ...options.strategy,
  })
  const controllers: Type<unknown>[] = options.tools ?? [AskingTools]
  const app = await NestFactory.create(
    appModule(elicitationModule(options, origin), strategy, [
      ...controllers,
      ...(options.guarded ? [guardedRoute(transport)] : []),
    ]),
    ...((options.adapter ? [options.adapter()] : []) as []),
    { logger: false, abortOnError: false } as never,
  )
  strategy.setHttpAdapter(app.getHttpAdapter())
  app.connectMicroservice({ strategy })
  await app.startAllMicroservices()
  await app.listen(Number(port), '127.0.0.1')
  const elicitation = options.module === false ? undefined : app.get(McpElicitation, { strict: false })
  return { app, url: new URL(`${origin}/mcp`), origin, elicitation: elicitation as McpElicitation }
}

function elicitationModule({ module = {} }: AppOptions, origin: string): DynamicModule[] {
  if (module === false) return []
  if (typeof module === 'function') return [module(origin)]
  return [McpElicitationModule.forRoot({ serverUrl: origin, apiPrefix: 'elicit', ...module })]
}

function appModule(imports: DynamicModule[], strategy: McpStrategy, controllers: Type<unknown>[]): Type<unknown> {
  @Module({ imports, controllers, providers: [{ provide: MCP_STRATEGY, useValue: strategy }] })
  class AppModule {}
  return AppModule
}

function guardedRoute(transport: StreamableHttpTransport | AssentTransport): Type<unknown> {
  @Controller('mcp')
  @UseGuards(TestGuard)
  class McpRoute extends McpHttpControllerFor(transport) {}
  return McpRoute
}
