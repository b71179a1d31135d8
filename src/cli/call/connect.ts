import type { Client, Transport } from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ElicitingClient } from '../../client/with-elicitation.ts'
import { complain } from '../print.ts'
import { version } from '../version.ts'
import { lightFetch } from './light-fetch.ts'
import type { ServerTarget } from './server-target.ts'

export interface Connected {
  readonly client: Client
  readonly eliciting: ElicitingClient
  close(): Promise<void>
}

/**
 * Connects to a server. When it cannot be reached, prints why and returns undefined. `prepare` is called before anything is
 * sent.
 */
export async function connectTo(
  target: ServerTarget,
  verbose: boolean,
  signal: AbortSignal,
  prepare: (client: Client) => ElicitingClient,
): Promise<Connected | undefined> {
  const { Client } = await import('./sdk-client.ts')
  const client = new Client({ name: 'assent', version }, { versionNegotiation: { mode: 'auto' } })
  const eliciting = prepare(client)
  const log: string[] = []
  const transport = await transportTo(target, (line) => {
    if (verbose) complain(`[${visibleLine(target.name, 40)}] ${line}`)
    else if (log.push(line) > mostLines) log.shift()
  })
  try {
    await client.connect(transport, { signal })
  } catch (error) {
    await client.close().catch(() => {})
    if (signal.aborted) return undefined
    complain(`${visibleLine(target.name)} cannot be reached: ${reasonOf(error)}`)
    for (const line of log) complain(`  ${line}`)
    return undefined
  }
  return { client, eliciting, close: () => closing(client, transport) }
}

const mostLines = 20

async function transportTo(target: ServerTarget, onLog: (line: string) => void): Promise<Transport> {
  if (target.kind === 'url') {
    const { StreamableHTTPClientTransport } = await import('./sdk-client.ts')
    const requestInit = { headers: target.headers }
    return new StreamableHTTPClientTransport(target.url, { requestInit, fetch: lightFetch })
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio')
  const { command, args, cwd } = target
  const env = target.env === undefined ? ours() : { ...getDefaultEnvironment(), ...target.env }
  const transport = new StdioClientTransport({ command, args, env, stderr: 'pipe', ...(cwd !== undefined && { cwd }) })
  listen(transport, onLog)
  return transport
}

function ours(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const longestLine = 2_000

/** Passes the log on line by line, made safe to print. A line without an end is cut. */
function listen(transport: StdioClientTransport, onLog: (line: string) => void): void {
  let rest = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n')
    rest = (lines.pop() as string).slice(0, longestLine)
    for (const line of lines) onLog(visibleLine(line.trimEnd(), longestLine))
  })
}

/** Why connecting failed: the first cause that `reasons` explains, or else the message of the innermost cause. */
function reasonOf(error: unknown): string {
  const causes = causesOf(error)
  const known = causes
    .map(({ code, message }) => (isPage(message) ? webPage : reasons.get(code)))
    .find((reason) => reason !== undefined)
  return known ?? visibleLine(String(causes.at(-1)?.message ?? error), 1_000)
}

const reasons = new Map<unknown, string>([
  ['ENOENT', 'there is no such program. Check the command line.'],
  ['EACCES', 'the program is not executable.'],
  ['ECONNREFUSED', 'nothing listens at that address. Start the server first.'],
  ['ENOTFOUND', 'there is no such host. Check the url.'],
  ['CONNECTION_CLOSED', 'it ended at once. Its log, if it wrote one, follows.'],
  ['REQUEST_TIMEOUT', 'it starts or connects, and does not answer. Check that it is an MCP server.'],
  ['CLIENT_HTTP_AUTHENTICATION', 'it requires a login. Pass a token with --header "Authorization: Bearer …".'],
])

const webPage = 'a web page is there, and no MCP server. Check the path of the url: that of Assent is /mcp.'

function isPage(message: unknown): boolean {
  return typeof message === 'string' && /<(?:!doctype html|html)\b/i.test(message)
}

const mostCauses = 10

interface Cause {
  readonly code?: unknown
  readonly message?: unknown
}

function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = []
  let cause = error
  while (typeof cause === 'object' && cause !== null && causes.length < mostCauses) {
    causes.push(cause)
    // For a host with several addresses, an AggregateError holds one error for each.
    cause = (cause as Error).cause ?? (cause as AggregateError).errors?.[0]
  }
  return causes
}

async function closing(client: Client, transport: Transport): Promise<void> {
  const session = transport as { terminateSession?: () => Promise<void> }
  // The connection is closed even if the server does not answer.
  await session.terminateSession?.().catch(() => {})
  await client.close().catch(() => {})
}
