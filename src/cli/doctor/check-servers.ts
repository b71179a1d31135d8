import { systemClock } from '../../base/clock.ts'
import { Budget } from '../../base/limits/budget.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { localRequester } from '../../participant/requester.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { version } from '../version.ts'
import { type Finding, good, skipped, wrong } from './finding.ts'

const self = { name: 'assent', version }
const client = { requester: { ...localRequester, client: 'doctor' }, capabilities: {} }
/** A program that npx has to fetch first takes a while. */
const patienceMs = 60_000
const longestWords = 400

/** Starts or reaches every server once, asks for its tools, and ends it again. */
export async function checkServers(config: Config): Promise<Finding[]> {
  const servers = [...config.servers.values()]
  if (servers.length === 0) return [skipped('servers', 'The settings name no server.')]
  return Promise.all(servers.map((server) => checkServer(server, config)))
}

async function checkServer(server: ServerConfig, config: Config): Promise<Finding> {
  const check = `server ${server.id}`
  if (server.provider !== undefined && config.providers[server.provider]?.env !== undefined) {
    return skipped(check, `It gets the account of each person at ${server.provider}, so it is not started without one.`)
  }
  const upstream = await open(server, config)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const reply = await upstream.request({ ...client, method: 'tools/list', params: {}, signal })
    const { revision = 'unknown', reason, stderr } = upstream.state()
    switch (reply.kind) {
      case 'result': {
        const tools = Array.isArray(reply.result.tools) ? reply.result.tools.length : 0
        return good(
          check,
          `It answers, speaks ${revision} and lists ${tools} tools${reply.result.nextCursor === undefined ? '' : ' or more'}.`,
        )
      }
      case 'error':
        return good(check, `It answers and speaks ${revision}, and has no tools.`)
      case 'unauthorized':
        return server.provider === undefined
          ? wrong(check, `It wants a login (${reply.status}). Name a provider, or write the credential in \`headers\`.`)
          : good(check, `It answers, and wants an account at ${server.provider}, as each person has one.`)
      case 'lost': {
        const why =
          reason ?? `${reply.detail}${stderr.length > 0 ? `; its last line on standard error: ${stderr.at(-1)}` : ''}`
        return wrong(check, `${visibleLine(why, longestWords)}. ${remedyFor(server)}`)
      }
    }
  } finally {
    await upstream.close()
  }
}

function remedyFor(server: ServerConfig): string {
  return server.kind === 'http'
    ? `Check that a server runs at ${server.url}.`
    : `Run it by hand to see more: ${visibleLine([server.command, ...server.args].join(' '), longestWords)}`
}

async function open(server: ServerConfig, { limits }: Config) {
  const { openUpstream } = await import('../../gateway/upstream/open.ts')
  const { defaultUpstreamLimits } = await import('../../gateway/upstream/options.ts')
  const { ProcessSlots } = await import('../../gateway/upstream/stdio/process-slots.ts')
  const context = {
    clock: systemClock,
    self,
    limits: { ...defaultUpstreamLimits, messageBytes: limits.bodyBytes, messageValues: limits.messageValues },
    slots: new ProcessSlots(),
    messages: new Budget(limits.serverBytes, limits.serverBytesEach),
  }
  const name = server.id
  if (server.kind === 'http') return openUpstream({ name, url: new URL(server.url), headers: server.headers }, context)
  const { command, args, env, cwd } = server
  return openUpstream({ name, command, args, env, cwd }, context)
}
