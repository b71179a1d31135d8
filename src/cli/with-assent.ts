import type { Command } from 'commander'
import type { Assent } from '../assent.ts'
import type { AssentOptions } from '../assent-options.ts'
import type { Config } from './config/config.ts'
import type { Given } from './config/read.ts'
import { channelsFrom } from './serve/channels.ts'

/** Opens the store for one command, and closes it afterwards. No other setting is read. */
export async function withStore<T>(command: Command, work: (assent: Assent) => Promise<T>): Promise<T> {
  const { readStoreAddress } = await import('./config/read/store-address.ts')
  return opened({ store: await readStoreAddress(command.optsWithGlobals<Given>()) }, work)
}

/** Opens an Assent with all settings for one command, and closes it afterwards. */
export async function withAssent<T>(
  command: Command,
  work: (assent: Assent, config: Config) => Promise<T>,
): Promise<T> {
  const config = await configOf(command)
  return using(config, (assent) => work(assent, config))
}

/** Opens an Assent with these settings, and closes it afterwards. */
export async function using<T>(config: Config, work: (assent: Assent) => Promise<T>): Promise<T> {
  return opened(await optionsFrom(config), work)
}

/** The settings, with what the command line overrides. */
export async function configOf(command: Command): Promise<Config> {
  // Loaded on demand, so that commands without settings start faster.
  const { readConfig } = await import('./config/read.ts')
  return readConfig(command.optsWithGlobals<Given>())
}

/** The settings as `createAssent` takes them. */
export async function optionsFrom(config: Config): Promise<AssentOptions> {
  const { store, publicUrl, auth, callbackUrl, providers, servers, pages, policy, clocks, limits, retain } = config
  const { proxy: _, admins: __, ...login } = auth ?? {}
  return {
    store,
    publicUrl,
    // `readConfig` has checked them.
    providers: { ...(providers as unknown as NonNullable<AssentOptions['providers']>), ...discovered(servers) },
    pages,
    policy,
    channels: await channelsFrom(config),
    clocks: {
      question: clocks.question,
      browserFlow: clocks.browserFlow,
      unspentYes: clocks.unspentYes,
      skew: clocks.skew,
    },
    limits: {
      openPerRequester: limits.openPerRequester,
      openPerParticipant: limits.openPerParticipant,
      passkeysPerPerson: limits.passkeysPerPerson,
      countedNames: limits.countedNames,
    },
    retain,
    ...(auth !== undefined && { auth: login as NonNullable<AssentOptions['auth']> }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  }
}

/** The providers that servers name themselves. */
function discovered(servers: Config['servers']): Record<string, { discover: string; title: string }> {
  const found = [...servers.values()].flatMap((server) =>
    server.kind === 'http' && server.discovers === true && server.provider !== undefined
      ? [[server.provider, { discover: server.url, title: server.name }]]
      : [],
  )
  return Object.fromEntries(found)
}

async function opened<T>(options: AssentOptions, work: (assent: Assent) => Promise<T>): Promise<T> {
  const { createAssent } = await import('../assent.ts')
  const assent = await createAssent({ ...options, clocks: { ...options.clocks, tidy: 0 } })
  try {
    return await work(assent)
  } finally {
    await assent.close()
  }
}
