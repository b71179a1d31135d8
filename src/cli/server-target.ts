import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BadArgument } from '../base/errors.ts'
import { isPlainObject } from '../base/json.ts'
import { readJsonObject } from './call-answers.ts'
import { splitCommand } from './command-line.ts'
import { nearest } from './near-names.ts'

/** Where a server is. `name` is what the person knows it by. */
export type ServerTarget =
  | { readonly kind: 'url'; readonly name: string; readonly url: URL; readonly headers: Record<string, string> }
  | {
      readonly kind: 'process'
      readonly name: string
      readonly command: string
      readonly args: string[]
      /** Undefined: all of ours, as in a shell. */
      readonly env: Record<string, string> | undefined
      readonly cwd?: string
    }

export interface TargetOptions {
  readonly config?: string
  readonly command?: string
  readonly header: readonly (readonly [string, string])[]
}

/** Files that name servers, the first that is there. */
const usualFiles = ['assent.json', '.mcp.json', 'mcp.json']

/** A url, a name in a config file or a command line, in this order; a command line only where it cannot be a name. */
export async function findTarget(server: string | undefined, options: TargetOptions): Promise<ServerTarget> {
  if (options.command !== undefined) return processTarget(options.command)
  if (server === undefined) throw new BadArgument('Name a server: a url, a name in a config file, or a command line.')
  const headers = Object.fromEntries(options.header)
  if (/^https?:\/\//i.test(server)) return urlTarget(server, readUrl(server), headers)

  const file = options.config ?? usualFiles.find((path) => existsSync(path))
  const servers = file === undefined ? {} : serversIn(await readJsonObject(file))
  const entry = Object.hasOwn(servers, server) ? servers[server] : undefined
  if (entry !== undefined && file !== undefined) return configured(server, entry, file, headers)
  if (/[\s/\\]/.test(server)) return processTarget(server)

  const where = file === undefined ? `There is no ${usualFiles.join(', ')} here` : `${file} names no server ${server}`
  const names = Object.keys(servers)
  const near = nearest(server, names)
  const known =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : names.length > 0 ? `It has ${names.join(', ')}.` : ''
  throw new BadArgument(`${where}. ${known || 'Give a url, or a command line with --command.'}`)
}

function processTarget(line: string): ServerTarget {
  const [command, ...args] = splitCommand(line)
  if (command === undefined) throw new BadArgument('The command line is empty.')
  return { kind: 'process', name: line.trim(), command, args, env: undefined }
}

/** Credentials in a url are sent, and shown nowhere. */
function urlTarget(name: string, url: URL, headers: Record<string, string>): ServerTarget {
  const isNamed = !/^https?:\/\//i.test(name)
  const hasUser = url.username !== '' || url.password !== ''
  const login = hasUser
    ? { Authorization: `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}` }
    : {}
  const address = new URL(url)
  address.username = ''
  address.password = ''
  const shown = isNamed ? name : `${address.host}${address.pathname === '/' ? '' : address.pathname}`
  return { kind: 'url', name: shown, url: address, headers: { ...login, ...headers } }
}

function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw new BadArgument(`${text} is no url.`)
  return new URL(text)
}

function serversIn(config: Record<string, unknown>): Record<string, unknown> {
  const servers = config.mcpServers ?? config.servers
  return isPlainObject(servers) ? servers : {}
}

function configured(name: string, entry: unknown, file: string, headers: Record<string, string>): ServerTarget {
  const wrong = (what: string) => new BadArgument(`${file}: the server ${name} ${what}.`)
  if (!isPlainObject(entry)) throw wrong('must be an object with a url or a command')
  const text = (key: string) => {
    const value = entry[key]
    if (value === undefined) return undefined
    if (typeof value === 'string') return withEnvironment(value, wrong)
    throw wrong(`must have text as ${key}`)
  }
  const texts = (key: string) => {
    const value = entry[key] ?? {}
    if (!isPlainObject(value)) throw wrong(`must have an object as ${key}`)
    return Object.fromEntries(Object.entries(value).map(([one, text]) => [one, withEnvironment(String(text), wrong)]))
  }

  if (entry.type === 'sse') throw wrong('speaks sse, which this client does not; use its streamable HTTP url')
  const url = text('url')
  if (url !== undefined) return urlTarget(name, readUrl(url), { ...texts('headers'), ...headers })
  const command = text('command')
  if (command === undefined) throw wrong('has neither a url nor a command')
  const { args = [], cwd } = entry
  if (!Array.isArray(args)) throw wrong('must have a list as args')
  const folder = typeof cwd === 'string' ? resolve(dirname(file), cwd) : undefined
  return {
    kind: 'process',
    name,
    command,
    args: args.map((arg) => withEnvironment(String(arg), wrong)),
    env: texts('env'),
    ...(folder !== undefined && { cwd: folder }),
  }
}

/** `${env:NAME}`, and what other clients write: `${NAME}` and `${NAME:-otherwise}`. */
function withEnvironment(text: string, wrong: (what: string) => Error): string {
  return text.replace(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = process.env[name] ?? otherwise
    if (value === undefined) throw wrong(`needs the environment variable ${name}, which is not set`)
    return value
  })
}
