import 'reflect-metadata'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Payload } from '@nestjs/microservices'
import { MCP_STRATEGY, McpController, McpStrategy, StreamableHttpTransport, Tool } from '@rekog/mcp-nest'
import { z } from 'zod'
import { AssentTransport, McpElicitationModule } from '../src/nest/index.ts'

const [how] = process.argv.slice(2)

@McpController()
class EchoTool {
  @Tool({ name: 'echo', description: 'Says it again', parameters: z.object({ text: z.string() }) })
  echo(@Payload() { text }: { text: string }) {
    return { content: [{ type: 'text', text }] }
  }
}

const transport = how === 'transport' ? new AssentTransport() : new StreamableHttpTransport({ statefulMode: true })
const mcp = new McpStrategy({ name: 'echo', version: '1.0.0', transports: [transport], logging: false })

@Module({
  imports: how === 'without' ? [] : [McpElicitationModule.forRoot({ serverUrl: 'http://127.0.0.1:3000' })],
  controllers: [EchoTool],
  providers: [{ provide: MCP_STRATEGY, useValue: mcp }],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false })
mcp.setHttpAdapter(app.getHttpAdapter())
app.connectMicroservice({ strategy: mcp })
await app.startAllMicroservices()
await app.listen(0, '127.0.0.1')
const server: Server = app.getHttpServer()
// Connections stay open while other contenders are measured.
server.keepAliveTimeout = 600_000
process.send?.((server.address() as AddressInfo).port)
process.on('message', () => {
  global.gc?.()
  process.send?.(process.cpuUsage())
})
process.on('disconnect', () => process.exit())
