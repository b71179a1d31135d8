import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Gateway } from '../../../src/gateway/index.ts'
import { PipeTransport } from '../../../src/mcp/pipe-transport.ts'
import { until } from '../server/servers.ts'
import type { Gated } from './gateways.ts'

const version = '2026-07-28'
const protocol = 'io.modelcontextprotocol'
const envelope = (capabilities: object = {}) => {
  const meta = {
    [`${protocol}/protocolVersion`]: version,
    [`${protocol}/clientInfo`]: { name: 'raw', version: '1' },
    [`${protocol}/clientCapabilities`]: capabilities,
  }
  return `"_meta":${JSON.stringify(meta)}`
}

/** Calls a tool, and gives every byte that came back. `given` are its arguments as JSON. */
export type SendText = (name: string, given: string) => Promise<string>

/** A client of 2026-07-28 over HTTP. `more` is added to the parameters. */
export function sendText26(url: URL, capabilities: object = {}) {
  const headers = { ...json, 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call' }
  return async (name: string, given: string, more = '') => {
    const params = `{"name":"${name}","arguments":${given},${envelope(capabilities)}${more}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    return (await fetch(url, { method: 'POST', headers: { ...headers, 'Mcp-Name': name }, body })).text()
  }
}

/** Clients over HTTP, by era, that send exactly the text they are told to. */
export const textClients: Record<string, (url: URL) => Promise<SendText>> = {
  '2026': async (url) => sendText26(url),
  '2025': async (url) => {
    const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":${initialize}}`
    const opened = await fetch(url, { method: 'POST', headers: json, body: hello })
    await opened.text()
    const session = { ...json, 'Mcp-Session-Id': String(opened.headers.get('mcp-session-id')) }
    const headers = { ...session, 'MCP-Protocol-Version': '2025-11-25' }
    await fetch(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' })
    let id = 0
    return async (name, given) => {
      id += 1
      const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`
      return (await fetch(url, { method: 'POST', headers, body })).text()
    }
  },
}
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const initialize = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}'

/** The same on a pipe. */
async function onPipe(gateway: Pick<Gateway, 'stdio'>, era: string): Promise<SendText> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = gateway.stdio(undefined, new PipeTransport(input, output))
  onTestFinished(() => serving.close())
  let received = ''
  output.on('data', (chunk: Buffer) => {
    received += chunk
  })
  const answerTo = async (id: number) => {
    const line = () => received.split('\n').find((one) => one.includes(`"id":${id}`))
    await until(() => line() !== undefined)
    return line() as string
  }
  const extra = era === '2026' ? `,${envelope()}` : ''
  if (era === '2025') {
    input.write(`{"jsonrpc":"2.0","id":7000,"method":"initialize","params":${initialize}}\n`)
    await answerTo(7000)
    input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }
  let id = 7000
  return async (name, given) => {
    id += 1
    const params = `{"name":"${name}","arguments":${given}${extra}}`
    input.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`)
    return answerTo(id)
  }
}

interface Place {
  connect(gate: Gated, era: string): Promise<SendText>
  /** What the tool of the server `up` is called there. */
  nameOf(tool: string): string
}

type TextClient = (typeof textClients)[string]

/** Every place at which a gateway serves clients. */
export const placesOf: Readonly<Record<string, Place>> = {
  '/mcp': { connect: ({ url }, era) => (textClients[era] as TextClient)(url), nameOf: (tool) => `up__${tool}` },
  '/mcp/{server}': {
    connect: ({ url }, era) => (textClients[era] as TextClient)(new URL(`${url.href}/up`)),
    nameOf: (tool) => tool,
  },
  'a pipe': { connect: ({ gateway }, era) => onPipe(gateway, era), nameOf: (tool) => `up__${tool}` },
}
