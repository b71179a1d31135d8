import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An upstream of 2026-07-28 over HTTP whose lists and answers are larger than anybody can hold. */
export interface HungryServer {
  readonly url: string
  close(): void
}

/** 3.9 MB: less than one message may be, but a hundred times as much once it is parsed. */
const objects = `${'{},'.repeat(1_300_000)}{}`
/** A message that may be sent, and that takes a while to be read by a slow client. */
const longText = 'x'.repeat(3_500_000)

export async function hungryServer(): Promise<HungryServer> {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(await text(request))
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call' && params.name === 'flood') return flood(response)
    const result = resultOf(method, params)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${result}}`)
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => void server.close().closeAllConnections(),
  }
}

function resultOf(method: string, params: { name?: string; cursor?: string }): string {
  switch (method) {
    case 'server/discover':
      return '"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}},"ttlMs":0}'
    case 'tools/list':
      return `"result":{"resultType":"complete","tools":[${['flood', 'long', 'objects'].map(tool).join()}],"ttlMs":0,"cacheScope":"private"}`
    case 'prompts/list':
      // Page after page, for as long as somebody asks for the next.
      return `"result":{"resultType":"complete","prompts":[${objects}],"nextCursor":"${Number(params.cursor ?? 0) + 1}","ttlMs":0,"cacheScope":"private"}`
    case 'tools/call':
      return params.name === 'long'
        ? `"result":{"resultType":"complete","content":[{"type":"text","text":"${longText}"}]}`
        : `"result":{"resultType":"complete","content":[],"structuredContent":{"all":[${objects}]}}`
    default:
      return '"error":{"code":-32601,"message":"No such method"}'
  }
}

const tool = (name: string) => `{"name":"${name}","inputSchema":{"type":"object"}}`

/** A stream of progress that does not end before its reader does. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const params = { progressToken: 1, progress: 1, message: 'x'.repeat(100_000) }
  const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`
  let left = 200
  const write = () => {
    while (left > 0) {
      left -= 1
      if (!response.write(event)) return void response.once('drain', write)
    }
    response.end(`data: {"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","content":[]}}\n\n`)
  }
  write()
}
