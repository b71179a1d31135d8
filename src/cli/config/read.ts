import { dirname } from 'node:path'
import { isPlainObject } from '../../base/json.ts'
import { checkParts, hideVariables } from './check-parts.ts'
import type { Config } from './config.ts'
import { defaults } from './defaults.ts'
import { findConfigFile } from './find.ts'
import { settingNames } from './names.ts'
import { badConfig, type Path, type Problem, pathText, type Written } from './problems.ts'
import { isOurHost, readListen, readPublicUrl, readStore, readTrustedProxies, urlOf } from './read/addresses.ts'
import { adoptVariables } from './read/adopted-variables.ts'
import { readChannel } from './read/channels.ts'
import { readClient } from './read/clients.ts'
import { type Environment, filledIn } from './read/environment.ts'
import { readHooks } from './read/hooks.ts'
import { readHub } from './read/hub.ts'
import { readMetrics } from './read/metrics.ts'
import { readPolicyShape } from './read/policy.ts'
import { counts, durations, readAuth, readPages, readProviders } from './read/sections.ts'
import { isDisabled, readServers } from './read/servers.ts'
import { type Reading, Setting } from './read/setting.ts'
import { readTelemetry } from './read/telemetry.ts'

/** What the command line says. It overrides the file. */
export interface Given {
  readonly config?: string
  readonly store?: string
  readonly port?: number
  /** Lets the tools run that `alwaysAllow` and `autoApprove` of pasted servers name, where no rule says otherwise. */
  readonly allowPasted?: boolean
  /** No file is looked for in the working directory: a stranger may have put it there. */
  readonly onlyNamed?: boolean
}

/** Every setting. Throws one error with all problems, each with its line and its remedy. */
export async function readConfig(given: Given = {}, env: Environment = process.env): Promise<Config> {
  const file = given.onlyNamed ? given.config : findConfigFile(given.config)
  const document = file === undefined ? undefined : await (await import('./document.ts')).readDocument(file)
  const raw = document?.value ?? { version: 1 }
  const problems: Problem[] = []
  const { value, adopted, problems: ofEnvironment } = adoptVariables(filledFile(raw, env, problems), env)
  const top = new Setting(value, [], { raw, problems } satisfies Reading)
  const config = readSettings(top, file === undefined ? '.' : dirname(file))
  if (document !== undefined) {
    const found = (await checkParts(config)).filter(({ path }) => !problems.some((known) => isKnown(path, known.path)))
    problems.push(...found.map((problem) => hideVariables(problem, raw, env)))
  }
  if (problems.length + ofEnvironment.length > 0) throw badConfig(document ?? noFile, problems, ofEnvironment)
  return withGiven({ ...config, written: document, adopted }, given)
}

/** Without a file every setting has its default, so only environment variables can be wrong. */
const noFile: Written = { file: 'assent.yaml', lineOf: () => 1 }

/** A problem of `approval/` or `oauth/` is not told beside one that was found in the same place while reading. */
function isKnown(path: Path, known: Path): boolean {
  return path[0] === 'policy' ? pathText(path) === pathText(known) : path[0] === known[0]
}

/** Fills in variables. Those of a disabled server need not be set. */
function filledFile(
  raw: Readonly<Record<string, unknown>>,
  env: Environment,
  problems: Problem[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      const isServers = name === 'servers' || name === 'mcpServers'
      if (!isServers || !isPlainObject(value)) return [name, filledIn(value, { path: [name], env, problems })]
      const servers = Object.entries(value).map(([id, entry]) => [
        id,
        isDisabled(entry) ? entry : filledIn(entry, { path: [name, id], env, problems, clients: true }),
      ])
      return [name, Object.fromEntries(servers)]
    }),
  )
}

/** The longest time that a question may stay open, and so the longest clock. */
const longestClock = { ms: 30 * 86_400_000, text: '30d' }

function readSettings(top: Setting, folder: string): Omit<Config, 'written' | 'adopted'> {
  const settings = top.only(settingNames.file)
  const { version, servers, mcpServers } = settings
  if (version.needed('write `version: 1` at the top').isThere && version.value !== 1) version.wrong('write 1')
  if (servers.isThere && mcpServers.isThere) mcpServers.say('means the same as servers; keep one of the two.')

  const auth = readAuth(settings.auth)
  const providers = readProviders(settings.providers)
  const listen = readListen(settings.listen, settings.auth)
  const ownUrl = readPublicUrl(settings.publicUrl, settings.auth)
  if (listen !== undefined && !isOurHost(listen.host) && !settings.publicUrl.isThere) {
    settings.publicUrl.say('is missing; write the address at which people open the pages.')
  }
  const callbackUrl = settings.callbackUrl.url()?.href
  return {
    listen: listen ?? { host: '127.0.0.1', port: 0 },
    publicUrl: ownUrl ?? urlOf(listen),
    hasOwnUrl: ownUrl !== undefined,
    store: readStore(settings.store, folder),
    ...(auth !== undefined && { auth }),
    trustedProxies: readTrustedProxies(settings.trustedProxies, auth !== undefined),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...readServers(servers.isThere ? servers : mcpServers, {
      providers: Object.keys(providers),
      folder,
      pin: settings.pin.flag(),
    }),
    providers,
    policy: readPolicyShape(settings.policy),
    clocks: durations(settings.clocks, defaults.clocks, longestClock),
    limits: counts(settings.limits, defaults.limits),
    elicitation: readElicitation(settings.elicitation),
    clients: settings.clients.items().flatMap(readClient),
    channels: settings.channels.items().flatMap(readChannel),
    retain: durations(settings.retain, defaults.retain),
    metrics: readMetrics(settings.metrics, listen),
    ...(settings.telemetry.isThere && { telemetry: readTelemetry(settings.telemetry) }),
    pages: readPages(settings.pages),
    hub: readHub(settings.hub),
    hooks: readHooks(settings.hooks, auth !== undefined),
  }
}

function readElicitation(setting: Setting): Config['elicitation'] {
  const { enabled, unseenWithin, urlBy } = setting.only(settingNames.elicitation)
  const within = unseenWithin.duration()
  return {
    enabled: enabled.flag() ?? defaults.elicitation.enabled,
    ...(within !== undefined && { unseenWithin: within }),
    urlBy: urlBy.choice(['push', 'error']) ?? defaults.elicitation.urlBy,
  }
}

function withGiven(config: Config, { store, port, allowPasted = false }: Given): Config {
  const listen = port === undefined ? config.listen : { ...config.listen, port }
  return {
    ...config,
    listen,
    publicUrl: config.hasOwnUrl ? config.publicUrl : urlOf(listen),
    ...(store !== undefined && { store }),
    ...(allowPasted && { policy: withPastedAllow(config), allowsPasted: true }),
  }
}

/** The rules of the file come first, so that none of them is softened. */
function withPastedAllow({ policy, servers }: Config): Config['policy'] {
  const rules = [...servers.values()].flatMap(({ id, pastedAllow }) =>
    pastedAllow === undefined ? [] : [{ server: id, tool: pastedAllow, decide: 'allow' as const }],
  )
  return { ...policy, rules: [...policy.rules, ...rules] }
}
