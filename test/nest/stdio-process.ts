import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { MCP_STRATEGY, McpStrategy, StdioTransport } from '@rekog/mcp-nest'
import { McpElicitation, McpElicitationModule } from '../../src/nest/index.ts'
import { AskingTools } from './tools.ts'

const mcp = new McpStrategy({
  name: 'my-mcp-server',
  version: '1.0.0',
  transports: [new StdioTransport()],
  logging: false,
})

@Module({
  imports: [McpElicitationModule.forRoot({ serverUrl: `http://127.0.0.1:${process.argv[2]}` })],
  controllers: [AskingTools],
  providers: [{ provide: MCP_STRATEGY, useValue: mcp }],
})
class AppModule {}

const app = await NestFactory.createMicroservice(AppModule, { strategy: mcp, logger: false } as never)
await app.listen()
process.stderr.write(`enroll ${await app.get(McpElicitation).enrollLink()}\n`)
