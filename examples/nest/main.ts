import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Ctx, Payload } from '@nestjs/microservices'
import { MCP_STRATEGY, type McpContext, McpController, McpStrategy, Tool } from '@rekog/mcp-nest'
import { Ask, type Asks, AssentTransport, McpElicitationModule, RequireApproval } from 'assent/nest'
import { z } from 'zod'

const port = Number(process.env.PORT ?? 3000)
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })

@McpController()
class ShopTools {
  @Tool({ name: 'balance', description: 'The balance of your shop', parameters: z.object({}) })
  async balance(@Ask() ask: Asks) {
    const key = await ask.secret('Enter the API key of your shop.', {
      type: 'api-key-shop',
      fieldLabel: 'Shop API key',
    })
    return said(`Read with the key …${key.slice(-4)}`)
  }

  @RequireApproval()
  @Tool({ name: 'refund', description: 'Refunds an order', parameters: z.object({ order: z.string() }) })
  refund(@Payload() { order }: { order: string }) {
    return said(`Refunded ${order}`)
  }

  @Tool({ name: 'ship', description: 'Ships an order', parameters: z.object({ order: z.string() }) })
  async ship(@Payload() { order }: { order: string }, @Ctx() context: McpContext) {
    const answer = await context.elicitation?.elicitForm({
      message: `How shall ${order} be sent?`,
      requestedSchema: { type: 'object', properties: { express: { type: 'boolean', title: 'Express' } } },
    })
    return said(answer?.action === 'accept' ? `Shipped, express: ${answer.content.express}` : 'Not shipped')
  }
}

const mcp = new McpStrategy({ name: 'shop', version: '1.0.0', transports: [new AssentTransport()] })

@Module({
  imports: [McpElicitationModule.forRoot({ serverUrl: `http://localhost:${port}` })],
  controllers: [ShopTools],
  providers: [{ provide: MCP_STRATEGY, useValue: mcp }],
})
class AppModule {}

const app = await NestFactory.create(AppModule)
mcp.setHttpAdapter(app.getHttpAdapter())
app.connectMicroservice({ strategy: mcp })
await app.startAllMicroservices()
await app.listen(port, 'localhost')
