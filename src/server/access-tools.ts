import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { accountOf, connectAsk } from '../asking/account.ts'
import { type AskingSettings, contextOf, type RequestContext } from '../asking/context.ts'
import { openPage } from '../asking/page.ts'
import { runTool } from '../asking/run-handler.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { type ElicitationStatus, statusOf } from '../elicitation/result.ts'
import type { AccessTools } from './access-tool-options.ts'

/** What a client learns about its requester's account: whether it is connected, and how a request for it stands. */
interface AccessStatus {
  readonly [key: string]: unknown
  readonly provider: string
  readonly status: 'connected' | 'not_connected' | ElicitationStatus | 'not_found'
  readonly scopes?: string[]
  readonly elicitationId?: string
  readonly url?: string
  readonly expiresAt?: string
}

/**
 * Tools for clients without url mode: the model asks for access itself, and shows the person the link. The page still
 * checks who opens it, so a link in the wrong hands opens nothing.
 */
export function addAccessTools(settings: AskingSettings, server: McpServer, tools: AccessTools): void {
  addRequest(server, tools)
  addCheck(server, tools)
  addRevoke(settings, server, tools)
}

/** Where there is one provider, nobody needs to name it. */
function providerIn({ providers }: AccessTools) {
  const known = z.enum(providers)
  return providers.length === 1 ? known.default(providers[0]) : known
}

function addRequest(server: McpServer, tools: AccessTools): void {
  const { request, check, deprecated } = tools
  if (request === undefined) return
  const then = check === undefined ? '' : `; then use ${check}`
  server.registerTool(
    request,
    {
      description: `${deprecated ? deprecation : ''}Asks the person to connect their account at a provider. Where this client cannot open pages, gives back a link to show them${then}.`,
      inputSchema: z.object({ provider: providerIn(tools), scopes: z.array(z.string()).max(64).optional() }),
    },
    ({ provider, scopes }, ctx) => {
      const context = contextOf(ctx)
      if (context.modes.url)
        return runTool(context, async (ask) => {
          const account = await ask.connection(provider, scopes ? { scopes } : {})
          return told({ provider, status: 'connected', scopes: [...account.scopes] })
        })
      return requestByLink(context, provider, scopes)
    },
  )
}

/** For models: the tools that need an account ask for it. */
const deprecation = 'Deprecated: call the tool that you need, which asks the person by itself. '

function addCheck(server: McpServer, tools: AccessTools): void {
  const { check, request, deprecated } = tools
  if (check === undefined) return
  server.registerTool(
    check,
    {
      description: `${deprecated ? deprecation : ''}Says whether the account at a provider is connected, and how a request for it stands.`,
      inputSchema: z.object({ provider: providerIn(tools), elicitationId: z.string().max(64).optional() }),
      annotations: { readOnlyHint: true },
    },
    async ({ provider, elicitationId }, ctx) => {
      const context = contextOf(ctx)
      if (elicitationId !== undefined) return told(await statusOfRequest(context, provider, elicitationId), request)
      const account = await accountOf(context, provider)
      if (account === undefined) return told({ provider, status: 'not_connected' })
      return told({ provider, status: 'connected', scopes: [...account.scopes] })
    },
  )
}

/** Never called deprecated: nothing else lets a model take access back. */
function addRevoke({ assent }: AskingSettings, server: McpServer, tools: AccessTools): void {
  if (tools.revoke === undefined) return
  server.registerTool(
    tools.revoke,
    {
      description: "Disconnects the person's account at a provider, here and at the provider.",
      inputSchema: z.object({ provider: providerIn(tools) }),
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ provider }, ctx: ServerContext) => {
      await assent.connections.disconnect(contextOf(ctx).call.requester.participant, provider)
      return told({ provider, status: 'not_connected' })
    },
  )
}

async function requestByLink(
  context: RequestContext,
  provider: string,
  scopes?: readonly string[],
): Promise<CallToolResult> {
  const account = await accountOf(context, provider, scopes)
  if (account !== undefined) return told({ provider, status: 'connected', scopes: [...account.scopes] })
  const { id, question } = await openPage(
    context,
    { about: `access ${provider}` },
    connectAsk(context, provider, scopes ? { scopes } : {}),
  )
  context.completeLater(id)
  return told({ provider, status: 'pending', elicitationId: id, url: question.url })
}

/** Another person's request gets the same answer as one that does not exist. */
async function statusOfRequest({ assent, call }: RequestContext, provider: string, id: string): Promise<AccessStatus> {
  const asked = await assent.get(id as ElicitationId)
  const isTheirs =
    asked?.requester.participant === call.requester.participant &&
    asked.question.mode === 'url' &&
    asked.question.connect?.provider === provider
  if (!isTheirs) return { provider, status: 'not_found' }
  return { provider, elicitationId: id, status: statusOf(asked), expiresAt: asked.expiresAt.toISOString() }
}

/** `request` is the tool that asks again. */
function told(status: AccessStatus, request?: string): CallToolResult {
  const again = request === undefined ? 'Call the tool that you need again.' : `Ask again with ${request}.`
  return { content: [{ type: 'text', text: wordsFor(status, again) }], structuredContent: status }
}

function wordsFor({ provider, status, url, scopes = [] }: AccessStatus, again: string): string {
  switch (status) {
    case 'connected':
      return `The account at ${provider} is connected${scopes.length > 0 ? ` (${scopes.join(' ')})` : ''}.`
    case 'not_connected':
      return `No account at ${provider} is connected.`
    case 'not_found':
      return 'There is no such request.'
    case 'pending':
      return url === undefined
        ? `The person has not connected their account at ${provider} yet.`
        : `Show the person this link, where they connect their account at ${provider}: ${url}`
    case 'complete':
      return `The person connected their account at ${provider}.`
    case 'declined':
    case 'cancelled':
      return `The person did not connect their account at ${provider}.`
    case 'expired':
      return `The request ran out of time. ${again}`
    case 'failed':
      return `The account at ${provider} could not be connected. ${again}`
  }
}
