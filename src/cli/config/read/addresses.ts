import { isAddressOrRange } from '../../../base/request-source.ts'
import { isLoopback } from '../../../elicitation/asking/url.ts'
import type { Config } from '../config.ts'
import { defaults } from '../defaults.ts'
import type { Setting } from './setting.ts'
import { isStoreAddress, storeFrom } from './store-address.ts'

/** Where to listen. Other machines may reach it only where people must sign in. */
export function readListen(setting: Setting, auth: Setting): Config['listen'] | undefined {
  const address = readHostAndPort(setting, defaults.listen)
  if (address !== undefined && !isOurHost(address.host) && !auth.isThere) {
    return setting.wrong('other machines can reach that, and there is no login; write 127.0.0.1, or add auth')
  }
  return address
}

/** A host and a port, such as `127.0.0.1:4180`; `otherwise` where the setting is left out. */
export function readHostAndPort(setting: Setting, otherwise: string): Config['listen'] | undefined {
  const text = setting.isThere ? setting.text() : otherwise
  if (text === undefined) return undefined
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) return setting.wrong(`write a host and a port, such as ${otherwise}`)
  return { host, port: Number(port) }
}

/** Whether only this machine can reach the host. */
export function isOurHost(host: string): boolean {
  return isLoopback(host.toLowerCase())
}

/** Where people open the pages, without a trailing slash. */
export function readPublicUrl(setting: Setting, auth: Setting): string | undefined {
  const url = setting.url()
  if (url === undefined) return undefined
  if (url.search !== '' || url.hash !== '')
    return setting.say('has a query or a fragment; leave out everything from ? or # on.')
  if (!isLoopback(url.hostname) && !auth.isThere) {
    return setting.say(
      'is for other machines too, and there is no login; add auth, or write an address of this machine.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** Where the pages are when `publicUrl` is left out. */
export function urlOf({ host, port }: Config['listen'] = { host: '127.0.0.1', port: 0 }): string {
  return `http://${host}:${port}`
}

/** Where data is kept. */
export function readStore(setting: Setting, folder: string): string {
  const address = setting.text() ?? defaults.store
  // The address may hold a password, so no part of it is quoted.
  if (!isStoreAddress(address))
    setting.say('is not the address of a store; write memory:, sqlite:<path>, postgres://… or redis://….')
  return storeFrom(address, folder)
}

/** Proxies in front of the pages. Without a login, what a proxy passes on is refused, so the setting would do nothing. */
export function readTrustedProxies(setting: Setting, hasLogin: boolean): readonly string[] {
  const ranges = readRanges(setting)
  if (ranges.length > 0 && !hasLogin) {
    setting.say('needs auth: without a login, requests that a proxy passed on are refused.')
  }
  return ranges
}

/** A list of IP addresses and ranges. */
export function readRanges(setting: Setting): readonly string[] {
  const entries = setting.items()
  for (const entry of entries) {
    if (!isAddressOrRange(String(entry.value))) entry.wrong('write an IP address or a range, such as 10.0.0.0/8')
  }
  return entries.map(({ value }) => String(value))
}
