import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { onTestFinished } from 'vitest'
import { newServer } from '../gateway/gateways.ts'
import { keepConnections } from '../server/keep-connections.ts'
import { say } from '../server/servers.ts'

/** An MCP server that lets in tokens of its authorization servers only, and says so as RFC 9728 has it. */
export interface ProtectedServer {
  readonly url: URL
  /** The tool calls that ran, each with who made it. */
  readonly runs: readonly string[]
  /** What its metadata says, which a test may change. */
  metadata: unknown
  /** What a 401 says; undefined: no challenge at all. */
  challenge: string | undefined
  /** The issuer whose tokens it lets in. */
  issuer: string
  /** Every path that was asked for. */
  readonly paths: readonly string[]
  /** Answers its metadata in place of the usual, such as a redirect. */
  serve: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
}

/** Starts a server with the tool `read`, protected by this issuer. Its tokens must be for the server's own address. */
export async function startProtectedServer(issuer: string): Promise<ProtectedServer> {
  const runs: string[] = []
  const paths: string[] = []
  const inner = await newServer((mcp) => {
    mcp.registerTool('read', { annotations: { readOnlyHint: true } }, () => say('read done'))
  })
  const server = createServer(keepConnections, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = new URL('/mcp', origin)
  const place: ProtectedServer = {
    url,
    runs,
    paths,
    issuer,
    metadata: { resource: url.href, authorization_servers: [issuer], scopes_supported: ['notes.read'] },
    challenge: `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    serve: undefined,
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin)
    paths.push(pathname)
    if (pathname.startsWith('/.well-known/')) {
      if (place.serve !== undefined) return place.serve(request, response)
      if (place.metadata === undefined) return void response.writeHead(404).end()
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(place.metadata))
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const who = await bearerOf(request)
    if (who === undefined) {
      const challenge = place.challenge === undefined ? {} : { 'www-authenticate': place.challenge }
      return void response.writeHead(401, challenge).end()
    }
    const body = Buffer.concat(chunks)
    if (body.includes('"tools/call"')) runs.push(who)
    const kept = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length'].includes(name),
    )
    const answer = await fetch(inner, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(kept) as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    const headers = [...answer.headers].filter(([name]) => name !== 'content-encoding')
    response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()))
  }

  /** Who the token was issued to, if it is for this server and from its issuer. */
  async function bearerOf({ headers }: IncomingMessage): Promise<string | undefined> {
    const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
    if (token === undefined) return undefined
    try {
      const keys = createRemoteJWKSet(new URL(`${place.issuer}/jwks`))
      const { payload } = await jwtVerify(token, keys, { issuer: place.issuer, audience: url.href })
      return String(payload.sub)
    } catch {
      return undefined
    }
  }

  return place
}
