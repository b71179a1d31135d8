import type { Command } from 'commander'
import type { Assent } from '../assent.ts'
import type { AssentOptions } from '../assent-options.ts'
import type { Config } from './config/config.ts'
import type { Given } from './config/read.ts'
import { channelsFrom } from './serve/channels.ts'

/** Opens the store only, for one command, and closes it whatever happens. The rest of the settings is not read. */
export async function withStore<T>(command: Command, work: (assent: Assent) => Promise<T>): Promise<T> {
  const { readStoreAddress } = await import('./config/read/store-address.ts')
  return using({ store: await readStoreAddress(command.optsWithGlobals<Given>()) }, work)
}

/** Opens everything the settings name, for one command, and closes it whatever happens. */
export async function withAssent<T>(
  command: Command,
  work: (assent: Assent, config: Config) => Promise<T>,
): Promise<T> {
  const config = await configOf(command)
  return using(await optionsFrom(config), (assent) => work(assent, config))
}

/** The settings that a command line leads to. */
export async function configOf(command: Command): Promise<Config> {
  // Loaded when it is needed: other commands start faster without it.
  const { readConfig } = await import('./config/read.ts')
  return readConfig(command.optsWithGlobals<Given>())
}

/** The settings as `createAssent` takes them. */
export async function optionsFrom(config: Config): Promise<AssentOptions> {
  const { store, publicUrl, auth, callbackUrl, providers, pages, policy, clocks, limits, retain } = config
  const { proxy: _, ...login } = auth ?? {}
  return {
    store,
    publicUrl,
    // Checked when they were read.
    providers: providers as unknown as NonNullable<AssentOptions['providers']>,
    pages,
    policy,
    channels: await channelsFrom(config),
    clocks: { question: clocks.question, browserFlow: clocks.browserFlow, unspentYes: clocks.unspentYes },
    limits: { openPerRequester: limits.openPerRequester },
    retain,
    ...(auth !== undefined && { auth: login as NonNullable<AssentOptions['auth']> }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  }
}

async function using<T>(options: AssentOptions, work: (assent: Assent) => Promise<T>): Promise<T> {
  const { createAssent } = await import('../assent.ts')
  const assent = await createAssent({ ...options, clocks: { ...options.clocks, tidy: 0 } })
  try {
    return await work(assent)
  } finally {
    await assent.close()
  }
}
