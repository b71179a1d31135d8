import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { Assent, AssentOptions, Elicitation, ElicitationNews, ParticipantId } from '../../../src/index.ts'
import { type AssentServer, type AssentServerOptions, createAssentServer } from '../../../src/server/index.ts'
import type { AskedClient, Connect, ConnectOptions } from '../asking/asking-clients.ts'
import { onPage } from '../asks.ts'
import { anAssent } from '../assents.ts'
import { keepConnections } from './keep-connections.ts'

export const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
export const local = 'local' as ParticipantId
export const localPage = onPage(local)

export interface Asking {
  readonly assent: Assent
  readonly url: URL
  /** Why clients could not be asked as they should have been. */
  readonly fallbacks: string[]
  readonly sessions: () => number
  connect(how: Connect, options?: ConnectOptions & { token?: string }): Promise<AskedClient>
}

export interface AskingOptions extends Partial<AssentServerOptions> {
  readonly assent?: Assent
  readonly assentOptions?: AssentOptions
  /** Tokens are names, and each speaks for the person and the client of that name: `alice/phone`. */
  readonly withLogin?: boolean
}

const issuer = 'https://login.example.com'

/** Whom a token of these tests speaks for. */
export const participantOf = (token: string) => `${token.split('/')[0]}@${issuer}` as ParticipantId

/** Takes every token at its word. */
export const login = {
  issuer,
  audience: 'http://127.0.0.1/mcp',
  byToken: async (token: string) => ({
    participant: participantOf(token),
    groups: [],
    client: token.split('/')[1] ?? 'laptop',
    scopes: [],
  }),
}

/** A server that asks, over real HTTP; everything ends with the test. */
export async function asking(
  register: (server: McpServer, asking: AssentServer) => void,
  { assent: given, assentOptions, withLogin = false, ...options }: AskingOptions = {},
): Promise<Asking> {
  const assent = given ?? (await anAssent(assentOptions))
  const fallbacks: string[] = []
  assent.events.listen((news: ElicitationNews) => {
    if (news.kind === 'fallback') fallbacks.push(news.reason)
  })
  const asking = createAssentServer(withLogin ? { ...assent, login } : assent, { name: 'tested', ...options })
  const serving = asking.http(() => {
    const server = asking.server({ name: 'tested', version: '1.0.0' })
    register(server, asking)
    return server
  })
  const url = await listening(serving.node)
  onTestFinished(() => serving.close())
  return {
    assent,
    url,
    fallbacks,
    sessions: () => serving.sessions,
    connect: async (how, { token, ...options } = {}) => {
      const client = await how(token === undefined ? { url } : { url, token }, options)
      onTestFinished(() => client.close())
      return client
    },
  }
}

/** Listens on a port of its own until the test is over. */
export async function listening(listener: Parameters<typeof createServer>[1]): Promise<URL> {
  const server = createServer(keepConnections, listener as never)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

/** A promise, and how to keep it. */
export function promised<T = void>() {
  let keep: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    keep = resolve
  })
  return { promise, keep }
}

/** The first question that is asked from now on, once it is kept. */
export function nextAsked(assent: Assent) {
  const { promise, keep } = promised<Elicitation>()
  const stop = assent.events.listen((news) => {
    if (news.kind !== 'asked') return
    stop()
    keep(news.elicitation)
  })
  return promise
}

/** Resolves when it becomes so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}
