import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { McpServer } from '@modelcontextprotocol/server'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Assent, AssentOptions } from '../../../src/index.ts'
import {
  type AssentServer,
  type AssentServerOptions,
  createAssentServer,
  requireConnection,
} from '../../../src/server/index.ts'
import { createWeb, type Web } from '../../../src/web/index.ts'
import type { AskedClient, Connect, ConnectOptions, Result } from '../asking/asking-clients.ts'
import { anAssent } from '../assents.ts'
import { type OAuthServer, type OAuthServerOptions, oauthClient, startOAuthServer } from '../oauth/oauth-server.ts'
import { keepConnections } from '../server/keep-connections.ts'
import { temporaryFolder } from '../temporary.ts'

/** Pages and tools at one address, as an installation has them, with a real OAuth server beside it. */
export interface Installation {
  readonly assent: Assent
  readonly web: Web
  readonly oauth: OAuthServer
  readonly origin: string
  /** Where the SQLite file is, unless another store was given. */
  readonly folder: string
  /** What went wrong while serving pages. */
  readonly errors: unknown[]
  /** Every credential that a tool held in its hands. */
  readonly held: string[]
  /** The next request to this path is sent on to what `alter` makes of its address, as someone in between would. */
  waylay(path: string, alter: (url: URL) => URL): void
  /** Every address that browsers asked for, with its query. */
  readonly visited: URL[]
  connect(how: Connect, options?: ConnectOptions & { token?: string }): Promise<AskedClient>
}

export interface InstallationOptions {
  readonly oauth?: OAuthServerOptions
  readonly store?: string
  /** People sign in at the OAuth server, for tokens and on pages. */
  readonly withLogin?: boolean
  readonly assent?: AssentOptions
  readonly server?: Omit<AssentServerOptions, 'name'>
  /** Tools besides the usual ones. */
  readonly register?: (server: McpServer, asking: AssentServer, oauth: OAuthServer) => void
}

/** Starts it, on a SQLite file of its own; everything ends with the test. */
export async function install(options: InstallationOptions = {}): Promise<Installation> {
  const oauth = await startOAuthServer(options.oauth)
  const folder = await temporaryFolder()
  const [errors, held, visited]: [unknown[], string[], URL[]] = [[], [], []]
  const altered = new Map<string, (url: URL) => URL>()
  let serve: RequestListener = () => {}
  const listener: RequestListener = (request, response) => {
    const url = addressOf(request)
    const alter = altered.get(url.pathname)
    if (url.pathname !== '/mcp') visited.push(url)
    if (alter === undefined) return serve(request, response)
    altered.delete(url.pathname)
    response.writeHead(302, { Location: alter(url).href }).end()
  }
  const origin = await listen(listener)
  const assent = await anAssent({
    store: options.store ?? `sqlite:${join(folder, 'assent.db')}`,
    publicUrl: origin,
    providers: {
      notes: { issuer: oauth.issuer, ...oauthClient, scopes: ['notes.read'] },
      stripe: { apiKey: true, fieldLabel: 'Stripe API key' },
    },
    ...(options.withLogin && { auth: { issuer: oauth.issuer, audience: `${origin}/mcp`, ...oauthClient } }),
    ...options.assent,
  })
  const web = createWeb(assent, { onError: (error) => errors.push(error) })
  const asking = createAssentServer(assent, { name: 'notebook', ...options.server })
  const serving = asking.http(() => {
    const server = asking.server({ name: 'notebook', version: '1.0.0' })
    addTools(server, asking, oauth, held)
    options.register?.(server, asking, oauth)
    return server
  })
  onTestFinished(() => serving.close())
  serve = (request, response) =>
    addressOf(request).pathname === '/mcp' ? serving.node(request, response) : web.node(request, response)

  return {
    assent,
    web,
    oauth,
    origin,
    folder,
    errors,
    held,
    visited,
    waylay: (path, alter) => void altered.set(path, alter),
    async connect(how, { token, ...more } = {}) {
      const url = new URL(`${origin}/mcp`)
      const client = await how(token === undefined ? { url } : { url, token }, {
        info: { name: 'Claude Code', version: '1.0.0' },
        ...more,
      })
      onTestFinished(() => client.close())
      return client
    },
  }
}

function addTools(server: McpServer, { plainTool, tool }: AssentServer, oauth: OAuthServer, held: string[]): void {
  const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  server.registerTool(
    'list_notes',
    {},
    plainTool(async (ask) => {
      const fetchNotes = async () => {
        const account = await ask.connection('notes', { scopes: ['notes.read'] })
        held.push(account.accessToken)
        return { account, response: await fetch(oauth.endpoints.notes, { headers: account.headers }) }
      }
      let { account, response } = await fetchNotes()
      if (response.status === 401) {
        await account.rejected()
        ;({ response } = await fetchNotes())
      }
      if (!response.ok) throw new Error(`The notes said ${response.status}`)
      const { notes } = (await response.json()) as { notes: string[] }
      return say(notes.join('\n'))
    }),
  )
  server.registerTool(
    'edit_notes',
    { inputSchema: z.object({}) },
    tool(
      requireConnection('notes', { scopes: ['notes.read', 'notes.write'] }, async (_args, _ask, _ctx, { scopes }) =>
        say(`edited with ${scopes.join(' ')}`),
      ),
    ),
  )
  server.registerTool(
    'pay',
    { inputSchema: z.object({}) },
    tool(
      requireConnection('stripe', {}, async (_args, _ask, _ctx, { accessToken }) => {
        held.push(accessToken)
        return say(`paid with …${accessToken.slice(-4)}`)
      }),
    ),
  )
  server.registerTool(
    'send_mail',
    {},
    plainTool(async (ask) => {
      const key = await ask.secret('Enter the key of your mail service', { fieldLabel: 'Mail key', type: 'mail-key' })
      held.push(key)
      return say(`sent with …${key.slice(-4)}`)
    }),
  )
  server.registerTool(
    'delete_notes',
    {},
    plainTool(async (ask) => {
      await ask.confirm('Delete all 12 notes?', {
        answer: 'page',
        title: 'Delete everything?',
        warning: 'This cannot be undone.',
        confirmLabel: 'Delete them',
        cancelLabel: 'Keep them',
      })
      return say('deleted')
    }),
  )
  server.registerTool(
    'share',
    {},
    plainTool(async (ask) => {
      const { mail, days } = await ask.form(
        'Whom do you share it with?',
        z.object({ mail: z.email().meta({ title: 'Mail address' }), days: z.int().min(1).max(30).default(7) }),
      )
      return say(`shared with ${mail} for ${days} days`)
    }),
  )
}

/** A browser context of someone who has never been here. It is closed when the test is over. */
export async function newcomer(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(60_000)
  onTestFinished(() => context.close())
  return context.newPage()
}

/** A browser that the local person let in by the one-time link. */
export async function enrolled(
  browser: Browser,
  { web }: Pick<Installation, 'web'>,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await newcomer(browser, options)
  await page.goto(await web.enrollLink())
  await page.getByRole('button', { name: 'Use this browser' }).click()
  await page.getByRole('heading', { name: 'This browser is yours' }).waitFor()
  return page
}

/** Says on the pages of the OAuth server who they are. */
export async function signIn(page: Page, account: string): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** From the link to the end: our page, login, consent, and the page that says how it went. */
export async function connectAccount(page: Page, url: string, account = 'ada'): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await signIn(page, account)
  await page.getByRole('button', { name: 'Allow' }).click()
  await title(page, 'Account connected')
}

/** Waits until the page says so. */
export async function title(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/**
 * Calls a tool while the person, for each page that the client is asked to open, does `visit` there. What fails on a page
 * fails the call at once.
 */
export async function callWhile(
  client: AskedClient,
  tool: string,
  visit: (url: string) => Promise<unknown>,
): Promise<Result> {
  const visits: Promise<unknown>[] = []
  let giveUp: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  client.answers(({ url = '' }) => {
    const visiting = visit(url)
    visiting.catch(giveUp)
    visits.push(visiting)
    return { action: 'accept' }
  })
  const result = await Promise.race([client.call(tool), failed])
  await Promise.all(visits)
  return result
}

/** Moves the time of this whole process on, of ours and of the OAuth server. */
export function movableTime(): { advance(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (ms) => void vi.setSystemTime(Date.now() + ms) }
}

export interface KeptEvent {
  readonly kind: string
  readonly about?: string
  readonly data: Record<string, unknown>
}

/** What the audit holds of these kinds, oldest first. */
export async function auditOf({ assent }: Pick<Installation, 'assent'>, ...kinds: string[]): Promise<KeptEvent[]> {
  const events: KeptEvent[] = []
  for await (const line of assent.exportAudit()) events.push(...[JSON.parse(line).event ?? []].flat())
  return events.filter(({ kind }) => kinds.includes(kind))
}

function addressOf({ url, headers }: IncomingMessage): URL {
  return new URL(url ?? '/', `http://${headers.host}`)
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(keepConnections, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
