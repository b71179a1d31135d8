import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { type Conversation, Conversations, type Script } from './conversation.ts'
import type { Dialect, Json, Reply } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'

/** A model that does as it is told, on this machine, for clients of four APIs. */
export interface FakeModel {
  readonly url: string
  play(script: Script): Conversation
  close(): Promise<void>
}

const dialects: readonly Dialect[] = [anthropic, chat, responses, gemini]

export async function startModel(): Promise<FakeModel> {
  const conversations = new Conversations()
  const server = createServer((request, response) => {
    answer(conversations, request, response).catch((error) => send(response, { json: { error: String(error) } }, 500))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (script) => conversations.play(script),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(all: Conversations, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const dialect = request.method === 'POST' ? dialects.find(({ isFor }) => isFor(path)) : undefined
  if (dialect === undefined) return send(response, ...smallTalk(path))
  const body: Json = await json(request)
  send(response, dialect.reply(await all.next(dialect.readTurn(body)), body, path))
}

/** What clients ask besides: how long a text is, and which models there are. */
function smallTalk(path: string): [Reply, number] {
  if (path.endsWith('/count_tokens')) return [{ json: { input_tokens: 10 } }, 200]
  if (path.endsWith(':countTokens')) return [{ json: { totalTokens: 10 } }, 200]
  if (path.endsWith('/models'))
    return [{ json: { object: 'list', data: [{ id: 'fake', object: 'model' }], models: [] } }, 200]
  return [{ json: {} }, 404]
}

function send(response: ServerResponse, reply: Reply, status = 200): void {
  if ('json' in reply) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json))
    return
  }
  response.writeHead(status, { 'content-type': 'text/event-stream' })
  for (const { name, data } of reply.events) {
    if (name !== undefined) response.write(`event: ${name}\n`)
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  }
  response.end()
}
