import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { isUrl } from '../../base/public-address.ts'
import type { ConfigDocument } from '../config/document.ts'
import { usualFiles } from '../config/find.ts'
import { nearest } from '../config/near-names.ts'
import { badConfig, type Problem } from '../config/problems.ts'
import { filledIn } from '../config/read/environment.ts'
import { splitCommand } from './command-line.ts'

/** How to reach a server. `name` is how it is shown to the person. */
export type ServerTarget =
  | { readonly kind: 'url'; readonly name: string; readonly url: URL; readonly headers: Record<string, string> }
  | {
      readonly kind: 'process'
      readonly name: string
      readonly command: string
      readonly args: string[]
      /** Undefined for a command line, which inherits all variables of this process, as in a shell. */
      readonly env: Record<string, string> | undefined
      readonly cwd?: string
    }

export interface TargetOptions {
  readonly config?: string
  readonly command?: string
  readonly header: readonly (readonly [string, string])[]
}

/** The files that may name servers. The first that exists is used. */
const serverFiles = [...usualFiles, '.mcp.json', 'mcp.json']

/** Reads `server` as a url, as a name in a config file, or as a command line if it cannot be a name; in this order. */
export async function findTarget(server: string | undefined, options: TargetOptions): Promise<ServerTarget> {
  if (options.command !== undefined) return processTarget(options.command)
  if (server === undefined)
    throw new BadArgument('Name a server: a url, a name in a config file, or a command line. See: assent call --help')
  const headers = Object.fromEntries(options.header)
  if (/^https?:\/\//i.test(server)) return urlTarget(server, readUrl(server), headers)

  const file = options.config ?? serverFiles.find((path) => existsSync(path))
  const document = file === undefined ? undefined : await documentIn(file)
  const { servers, block } = serversIn(document?.value ?? {})
  if (document !== undefined && Object.hasOwn(servers, server)) {
    return configured(server, filledEntry(document, servers[server], [block, server]), document.file, headers)
  }
  if (/[\s/\\]/.test(server)) return processTarget(server)

  const where = file === undefined ? `There is no ${serverFiles.join(', ')} here` : `${file} names no server ${server}`
  const names = Object.keys(servers)
  const near = nearest(server, names)
  const known =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : names.length > 0 ? `It has ${names.join(', ')}.` : ''
  throw new BadArgument(`${where}. ${known || 'Give a url, or a command line with --command.'}`)
}

function processTarget(line: string): ServerTarget {
  const [command, ...args] = splitCommand(line)
  if (command === undefined) throw new BadArgument('The command line is empty. Write a program and its arguments.')
  return { kind: 'process', name: line.trim(), command, args, env: undefined }
}

/** Credentials in the url are sent as a header, and are never shown. */
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
  if (!isUrl(text)) throw new BadArgument(`${text} is not a valid url. Write one such as https://mcp.example.com/mcp.`)
  return new URL(text)
}

/** Loaded on demand: a url or a command line needs no file. */
async function documentIn(file: string): Promise<ConfigDocument> {
  const { readDocument } = await import('../config/document.ts')
  return readDocument(file)
}

function serversIn(config: Readonly<Record<string, unknown>>): { servers: Record<string, unknown>; block: string } {
  const block = config.mcpServers === undefined ? 'servers' : 'mcpServers'
  const servers = config[block]
  return { servers: isPlainObject(servers) ? servers : {}, block }
}

function filledEntry(document: ConfigDocument, entry: unknown, path: readonly string[]): unknown {
  const problems: Problem[] = []
  const filled = filledIn(entry, { path, env: process.env, problems, clients: true })
  if (problems.length > 0) throw badConfig(document, problems)
  return filled
}

function configured(name: string, entry: unknown, file: string, headers: Record<string, string>): ServerTarget {
  const wrong = (what: string) => new BadArgument(`${file}: the server ${name} ${what}.`)
  if (!isPlainObject(entry)) throw wrong('must be an object with a url or a command')
  const text = (key: string) => {
    const value = entry[key]
    if (value === undefined) return undefined
    if (typeof value === 'string') return value
    throw wrong(`must have text as ${key}`)
  }
  const texts = (key: string) => {
    const value = entry[key] ?? {}
    if (!isPlainObject(value)) throw wrong(`must have an object as ${key}`)
    return Object.fromEntries(Object.entries(value).map(([one, text]) => [one, String(text)]))
  }

  if (entry.type === 'sse') throw wrong('uses sse, which Assent does not support; write its streamable HTTP url')
  const url = text('url')
  if (url !== undefined) return urlTarget(name, readUrl(url), { ...texts('headers'), ...headers })
  const command = text('command')
  if (command === undefined) throw wrong('has neither a url nor a command; write one of the two')
  const { args = [], cwd } = entry
  if (!Array.isArray(args)) throw wrong('must have a list as args')
  const folder = typeof cwd === 'string' ? resolve(dirname(file), cwd) : undefined
  return {
    kind: 'process',
    name,
    command,
    args: args.map(String),
    env: texts('env'),
    ...(folder !== undefined && { cwd: folder }),
  }
}
