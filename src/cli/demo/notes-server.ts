import type { RequestListener } from 'node:http'
import { McpServer } from '@modelcontextprotocol/server'
import type { Clock } from '../../base/clock.ts'
import { serveHttp } from '../../mcp/http/serve.ts'
import { participantId } from '../../participant/participant.ts'
import { version } from '../version.ts'
import type { LoginDesk } from './login-desk.ts'

/** An MCP server over HTTP that accepts only the tokens of the demo login. */
export function demoNotes(
  clock: Clock,
  { desk, issuer, origin, scope }: { desk: LoginDesk; issuer: string; origin: string; scope: string },
): { readonly node: RequestListener; close(): Promise<void> } {
  const login = {
    issuer,
    audience: `${origin}/mcp`,
    async byToken(token: string) {
      const account = desk.accountOf(token)
      if (account === undefined) return undefined
      const { name, expiresAt } = account
      return {
        participant: participantId({ issuer, subject: name }),
        groups: [name],
        client: 'assent',
        scopes: [scope],
        expiresAt,
      }
    },
  }
  return serveHttp(notesServer, { login, clock, requiredScopes: [scope] })
}

function notesServer(): McpServer {
  const server = new McpServer({ name: 'notes', version })
  const description = 'Reads the notes in your account'
  server.registerTool('read_notes', { description, annotations: { readOnlyHint: true } }, async ({ http }) => {
    const [name] = (http?.authInfo?.extra?.groups as string[] | undefined) ?? []
    return { content: [{ type: 'text', text: `Notes of ${name}: water the plants; call Grace back.` }] }
  })
  return server
}
