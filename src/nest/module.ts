import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common'
import { HttpAdapterHost, ModuleRef } from '@nestjs/core'
import { MCP_STRATEGY, type McpStrategy } from '@rekog/mcp-nest'
import { McpElicitation, openElicitation } from './mcp-elicitation.ts'
import type { ElicitationModuleOptions, RootAsyncOptions, RootOptions, RouteOptions } from './options.ts'
import { pagesController } from './pages-controller.ts'

/** The options of the module, as its factory made them. */
const OPTIONS = Symbol('assent:elicitation-options')

/** Lets the tools, prompts and resources of an MCP-Nest application ask people, and serves the pages where they answer. */
// biome-ignore lint/complexity/noStaticOnlyClass: a module of Nest is a class.
export class McpElicitationModule {
  static forRoot({ imports = [], ...options }: RootOptions): DynamicModule {
    return moduleOf(options, imports, { provide: OPTIONS, useValue: options })
  }

  static forRootAsync({ imports = [], inject = [], useFactory, ...routes }: RootAsyncOptions): DynamicModule {
    return moduleOf(routes, imports, {
      provide: OPTIONS,
      inject,
      useFactory: async (...dependencies: unknown[]) => ({ ...(await useFactory(...dependencies)), ...routes }),
    })
  }
}
Global()(McpElicitationModule)
Module({})(McpElicitationModule)

function moduleOf(
  routes: RouteOptions,
  imports: NonNullable<DynamicModule['imports']>,
  options: Provider,
): DynamicModule {
  return {
    module: McpElicitationModule,
    imports,
    controllers: [pagesController(routes, McpElicitation as never)],
    providers: [
      options,
      {
        provide: McpElicitation,
        inject: [OPTIONS, ModuleRef, HttpAdapterHost],
        useFactory: (given: ElicitationModuleOptions, modules: ModuleRef, adapters: HttpAdapterHost) =>
          openElicitation(given, given.strategies ?? providedStrategy(modules), adapters),
      },
    ],
    exports: [McpElicitation],
  }
}

/** The strategy that some module of the application provides. */
function providedStrategy(modules: ModuleRef): readonly McpStrategy[] {
  try {
    const strategy = modules.get<McpStrategy | undefined>(MCP_STRATEGY, { strict: false })
    return strategy === undefined || strategy === null ? [] : [strategy]
  } catch {
    return []
  }
}
