import { isAbsolute, resolve } from 'node:path'
import { isPlainObject } from '../../../base/json.ts'
import type { ToolHints } from '../../../definition/tool-hints.ts'
import { isLoopback } from '../../../elicitation/asking/url.ts'
import { ignoredInServers, settingNames } from '../names.ts'
import { nearest } from '../near-names.ts'
import { serverIds } from './server-ids.ts'
import type { Setting } from './setting.ts'

/** An upstream server, as the settings describe it. */
export type ServerConfig = {
  readonly id: string
  /** Its name in the file. */
  readonly name: string
  /** Whether annotations of its tools may allow a call. Those of other servers can only make the policy stricter. */
  readonly trusted: boolean
  /** It is not started with the gateway, but when a request first needs it. */
  readonly isLazy?: boolean
  /** New and changed tools are held back until an administrator has allowed them. */
  readonly isPinned?: boolean
  /** What is true of tools in place of what the server says of them, by tool. */
  readonly annotations?: Readonly<Record<string, ToolHints>>
  /** Tools that are neither listed nor called. */
  readonly disabledTools?: readonly string[]
  /** Tools that another client was told to call without asking. Nothing is allowed by it unless `--allow-pasted` is given. */
  readonly pastedAllow?: readonly string[]
  /** Each request carries the credential of the requester's account at this provider. */
  readonly provider?: string
  /** The provider is the one that the server itself names, if it answers 401: nothing is written about it. */
  readonly discovers?: boolean
} & (
  | {
      readonly kind: 'process'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
)

/** A server whose name is not a valid id, and the id it got. */
export interface Renamed {
  readonly name: string
  readonly id: string
}

/** What matters to servers besides their own settings. */
interface Around {
  /** The names of the providers in the settings. */
  readonly providers: readonly string[]
  /** The folder of the file. */
  readonly folder: string
  /** Whether definitions are pinned where a server does not say. */
  readonly pin?: boolean | undefined
}

const transports = ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'] as const

/** A disabled server is ignored: its variables need not even be set. */
export function isDisabled(entry: unknown): boolean {
  return isPlainObject(entry) && (entry.disabled === true || entry.enabled === false)
}

/** The servers of a `servers` block, or of a `mcpServers` block pasted from another client. */
export function readServers(
  settings: Setting,
  { providers, folder, pin = false }: Around,
): { servers: Map<string, ServerConfig>; renamed: Renamed[] } {
  const entries = settings.entries().filter(({ value }) => !isDisabled(value))
  const ids = serverIds(entries.map(nameOf))
  const servers = new Map<string, ServerConfig>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const id = ids.get(name) as string
    const server = readServer(entry, { id, name }, { providers, folder, pin })
    if (server !== undefined) servers.set(id, server)
  }
  const renamed = [...ids].filter(([name, id]) => name !== id).map(([name, id]) => ({ name, id }))
  return { servers, renamed }
}

const nameOf = (entry: Setting) => entry.path.at(-1) as string

function readServer(
  entry: Setting,
  named: Renamed,
  { providers, folder, pin = false }: Around,
): ServerConfig | undefined {
  if (!isPlainObject(entry.value)) return entry.wrongKind('write { command: … } or { url: … }')
  const settings = entry.only([...settingNames.server, ...ignoredInServers])
  const { command, type, transport } = settings
  const address = [settings.url, settings.serverUrl, settings.httpUrl].find(({ isThere }) => isThere)
  for (const kind of [type, transport]) {
    if (kind.choice(transports) === 'sse') {
      kind.say(
        'is sse, the transport of 2024, which Assent does not support; write the streamable HTTP url of the server.',
      )
    }
  }
  settings.disabled.flag()
  settings.enabled.flag()
  const provider = readProvider(settings.provider, providers)
  if (provider === 'auto' && address === undefined) {
    settings.provider.wrong(
      'write the name of a provider; only a server with a url can be asked who gives access to it',
    )
  }
  const disabledTools = names(settings.disabledTools)
  const pastedAllow = new Set([...allowedNames(settings.alwaysAllow), ...allowedNames(settings.autoApprove)])
  const common = {
    ...named,
    trusted: settings.trusted.flag() ?? false,
    ...(settings.start.choice(['eager', 'lazy']) === 'lazy' && { isLazy: true }),
    ...(provider !== undefined && provider !== 'auto' && provider !== 'none' && { provider }),
    ...((settings.pin.flag() ?? pin) && { isPinned: true }),
    ...(settings.annotations.isThere && { annotations: readAnnotations(settings.annotations) }),
    ...(disabledTools.length > 0 && { disabledTools }),
    ...(pastedAllow.size > 0 && { pastedAllow: [...pastedAllow] }),
  }
  if (command.isThere && address !== undefined) return entry.say('has a command and a url; keep one of the two.')
  if (address !== undefined) {
    // A credential must not be sent over plain http, where others can read it.
    const url = address.url({ plain: provider === undefined || provider === 'none' })
    const headers = settings.headers.words()
    if (url === undefined) return undefined
    const isAsked = provider === 'auto' || (provider === undefined && mayAsk(url, headers))
    const account = isAsked ? { discovers: true, provider: freeName(named.id, providers) } : {}
    return { ...common, ...account, kind: 'http', url: url.href, headers }
  }
  if (!command.isThere) return entry.say('has neither a command nor a url; write one of the two.')
  const program = command.text()
  const args = settings.args.items().map((arg) => arg.word() ?? '')
  const cwd = resolve(folder, settings.cwd.text() ?? '.')
  const env = settings.env.words()
  return program === undefined
    ? undefined
    : { ...common, kind: 'process', command: programFrom(program, folder), args, env, cwd }
}

function readAnnotations(setting: Setting): Record<string, ToolHints> {
  return Object.fromEntries(
    setting.entries().map((tool) => {
      const { title, ...hints } = tool.only(settingNames.annotations)
      const given = [['title', title.text()], ...Object.entries(hints).map(([name, hint]) => [name, hint.flag()])]
      return [tool.path.at(-1) as string, Object.fromEntries(given.filter(([, value]) => value !== undefined))]
    }),
  )
}

const names = (setting: Setting) => setting.items().flatMap((item) => item.text() ?? [])

/** Some clients write `true` for every tool. */
function allowedNames(setting: Setting): readonly string[] {
  if (typeof setting.value === 'boolean') return setting.value ? ['*'] : []
  return names(setting)
}

/** A relative path is resolved from the file's folder. A bare name is looked up in PATH. */
function programFrom(command: string, folder: string): string {
  return /^\.\.?[/\\]/.test(command) && !isAbsolute(command) ? resolve(folder, command) : command
}

/** The provider of a server has the server's id, unless the settings use that for another. */
const freeName = (id: string, taken: readonly string[]) =>
  [id, `${id.slice(0, 24)}-account`].find((name) => !taken.includes(name)) ?? id

/** A server that gets a credential from the settings is asked nothing, nor one to which a token could be read on the way. */
function mayAsk(url: URL, headers: Readonly<Record<string, string>>): boolean {
  const hasCredential = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return !hasCredential && (url.protocol === 'https:' || isLoopback(url.hostname))
}

function readProvider(setting: Setting, providers: readonly string[]): string | undefined {
  const name = setting.text()
  if (name === undefined || name === 'auto' || name === 'none' || providers.includes(name)) return name
  const near = nearest(name, providers)
  return setting.wrong(
    near.length > 0 ? `write ${near.join(' or ')}` : 'write the name of a provider under `providers`, auto or none',
  )
}
