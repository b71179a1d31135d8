import { isIP } from 'node:net'
import { milliseconds } from '../../../base/durations.ts'
import { isPlainObject } from '../../../base/json.ts'
import { isAnswererName } from '../../../elicitation/answering/answerers.ts'
import type { AuthConfig, Config } from '../config.ts'
import { defaults } from '../defaults.ts'
import { settingNames } from '../names.ts'
import type { Setting } from './setting.ts'

/** The login that knows people. */
export function readAuth(setting: Setting): AuthConfig | undefined {
  if (!setting.isThere) return undefined
  if (setting.value === null) return setting.say('is empty; write issuer and audience, or leave auth out.')
  const { issuer, audience, clientId, clientSecret, jwksUri, groupsClaim, admins, proxy } = setting.only(
    settingNames.auth,
  )
  issuer.needed('write the address of the login')
  audience.needed('write what tokens for this installation have as their audience, such as its address')
  issuer.url()
  if (clientSecret.isThere && !clientId.isThere) clientId.needed('write the id that belongs to clientSecret')
  const all = {
    proxy: readProxy(proxy),
    issuer: issuer.text(),
    audience: audience.text(),
    clientId: clientId.text(),
    clientSecret: clientSecret.text(),
    jwksUri: jwksUri.url()?.href,
    groupsClaim: groupsClaim.text(),
    admins: admins.isThere ? readAdmins(admins) : undefined,
  }
  // Where a required setting is missing, a problem was recorded, and reading ends with an error.
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as unknown as AuthConfig
}

function readAdmins(setting: Setting): readonly string[] {
  const names = setting.items()
  for (const name of names) {
    if (!isAnswererName(String(name.value))) name.wrong('write subject@issuer or group:name')
  }
  return names.map(({ value }) => String(value))
}

function readProxy(setting: Setting): AuthConfig['proxy'] {
  if (!setting.isThere) return undefined
  const { header, from, groupsHeader } = setting.only(settingNames.proxy)
  const name = header.needed('write the header in which the proxy names the person').text()
  const addresses = from.needed('write the addresses that the proxy connects from').items()
  const groups = groupsHeader.text()
  for (const address of addresses) if (isIP(String(address.value)) === 0) address.wrong('write an IP address')
  return name === undefined
    ? undefined
    : { header: name, from: addresses.map(({ value }) => String(value)), ...(groups && { groupsHeader: groups }) }
}

/** Checks the shape only. `oauth/` checks the settings of each provider. */
export function readProviders(setting: Setting): Config['providers'] {
  return Object.fromEntries(
    setting.entries().flatMap((entry) => {
      if (isPlainObject(entry.value)) return [[entry.path.at(-1) as string, entry.value]]
      entry.wrongKind('write { issuer: … }, { preset: … } or { apiKey: true }')
      return []
    }),
  )
}

/** Durations by name, in milliseconds. One that is left out gets its default. */
export function durations<Name extends string>(
  setting: Setting,
  byDefault: Readonly<Record<Name, string>>,
  longest?: { readonly ms: number; readonly text: string },
): Record<Name, number> {
  const names = Object.keys(byDefault) as Name[]
  const settings = setting.only(names)
  return Object.fromEntries(
    names.map((name) => [name, settings[name].duration(longest) ?? milliseconds(byDefault[name])]),
  ) as Record<Name, number>
}

/** Limits by name. One that is left out gets its default. */
export function counts<Name extends string>(
  setting: Setting,
  byDefault: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(byDefault) as Name[]
  const settings = setting.only(names)
  return Object.fromEntries(names.map((name) => [name, settings[name].count() ?? byDefault[name]])) as Record<
    Name,
    number
  >
}

/** How the pages look, and where they are. */
export function readPages(setting: Setting): Config['pages'] {
  const { primaryColor, title, prefix, names } = setting.only(settingNames.pages)
  const color = primaryColor.text()
  if (color !== undefined && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) {
    primaryColor.wrong('write a colour such as "#007bff", in quotes')
  }
  if (prefix.isThere && !/^[\w-]+(\/[\w-]+)*$/.test(String(prefix.value))) {
    prefix.wrong('write a path of letters, digits, - and _, without a slash at either end')
  }
  for (const name of names.entries()) {
    if (!/^[\w-]+$/.test(String(name.value))) name.wrong('write one part of a path, made of letters, digits, - and _')
  }
  return {
    primaryColor: color ?? defaults.pages.primaryColor,
    title: title.text() ?? defaults.pages.title,
    prefix: prefix.text() ?? defaults.pages.prefix,
    names: names.words(),
  }
}
