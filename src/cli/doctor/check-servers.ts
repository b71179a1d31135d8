import { systemClock } from '../../base/clock.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { localRequester } from '../../participant/requester.ts'
import type { Config } from '../config/config.ts'
import { nameWarnings } from '../config/reach-warnings.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { type Finding, good, skipped, warning, wrong } from './finding.ts'
import { openOnce } from './open-once.ts'

const client = { requester: { ...localRequester, client: 'doctor' }, capabilities: {} }
/** A program that npx has to fetch first takes a while. */
const patienceMs = 60_000
const longestWords = 400

/** Starts or reaches every server once, asks for its tools, ends it again, and compares them with the rules. */
export async function checkServers(config: Config): Promise<Finding[]> {
  const servers = [...config.servers.values()]
  if (servers.length === 0) return [skipped('servers', 'The settings name no server.')]
  const tools = new Map<string, readonly string[]>()
  const found = await Promise.all(servers.map((server) => checkServer(server, config, tools)))
  return [...found, ...nameWarnings(config, tools).map((words) => warning('rules', words))]
}

/** Adds the server's tools to `tools` if it lists all of them at once. */
async function checkServer(
  server: ServerConfig,
  config: Config,
  tools: Map<string, readonly string[]>,
): Promise<Finding> {
  const check = `server ${server.id}`
  if (server.provider !== undefined && config.providers[server.provider]?.env !== undefined) {
    return skipped(check, `It gets the account of each person at ${server.provider}, so it is not started without one.`)
  }
  const upstream = await openOnce(server, config)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const reply = await upstream.request({ ...client, method: 'tools/list', params: {}, signal })
    const { revision = 'unknown', reason, stderr } = upstream.state()
    switch (reply.kind) {
      case 'result': {
        const names = namesIn(reply.result.tools)
        const isComplete = reply.result.nextCursor === undefined
        if (isComplete) tools.set(server.id, names)
        const count = `${names.length} ${names.length === 1 ? 'tool' : 'tools'}${isComplete ? '' : ' or more'}`
        return good(check, `It answers, speaks ${revision} and lists ${count}.`)
      }
      case 'error':
        return good(check, `It answers and speaks ${revision}, and has no tools.`)
      case 'unauthorized':
        if (server.kind === 'http' && server.discovers === true)
          return checkDiscovery(check, server.url, server, config)
        return server.provider === undefined
          ? wrong(check, `It wants a login (${reply.status}). Name a provider, or write the credential in \`headers\`.`)
          : good(check, `It answers, and wants an account at ${server.provider}, as each person has one.`)
      case 'lost': {
        const why = signal.aborted
          ? `It did not answer within ${patienceMs / 1_000} s`
          : (reason ??
            `${reply.detail}${stderr.length > 0 ? `; its last line on standard error: ${stderr.at(-1)}` : ''}`)
        return wrong(check, `${visibleLine(why, longestWords)}. ${remedyFor(server)}`)
      }
    }
  } finally {
    await upstream.close()
  }
}

function namesIn(tools: unknown): string[] {
  return Array.isArray(tools) ? tools.map((tool: { name?: unknown } | null) => String(tool?.name)) : []
}

const registering = {
  settings: 'by its settings',
  document: 'by its client document',
  registration: 'by dynamic registration',
}

/** Finds the authorization server that this server names, as connecting an account does. Nothing is registered. */
async function checkDiscovery(
  check: string,
  url: string,
  { name, provider = name }: ServerConfig,
  { publicUrl, callbackUrl = `${publicUrl}/oauth/callback`, pages }: Config,
): Promise<Finding> {
  const { discoveredConsent } = await import('../../oauth/discovery/discovered-consent.ts')
  const settings = { name: provider, title: name, server: new URL(url), scopes: [] }
  const clients = {
    get: async () => undefined,
    keep: async (_: string, __: string, one: never) => one,
    forget: async () => {},
  }
  const introduction = { title: pages.title, publicUrl, callbackUrl, clients }
  const place = await discoveredConsent(settings, introduction, { clock: systemClock }, () => {}).find()
  if (place.kind === 'failed') return wrong(check, place.message)
  const issuer = visibleLine(place.issuer, longestWords)
  return good(
    check,
    `It answers, and wants an account at ${issuer}. Assent becomes a client there ${registering[place.by]}.`,
  )
}

function remedyFor(server: ServerConfig): string {
  return server.kind === 'http'
    ? `Check that a server runs at ${server.url}.`
    : `Run it by hand to see more: ${visibleLine([server.command, ...server.args].join(' '), longestWords)}`
}
