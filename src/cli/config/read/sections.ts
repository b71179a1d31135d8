import { isIP } from 'node:net'
import { milliseconds } from '../../../base/durations.ts'
import { isPlainObject } from '../../../base/json.ts'
import { isLoopback } from '../../../elicitation/asking/url.ts'
import type { AuthConfig, ChannelConfig, Config } from '../config.ts'
import { defaults } from '../defaults.ts'
import type { Setting } from './setting.ts'

/** How people are known. */
export function readAuth(setting: Setting): AuthConfig | undefined {
  if (!setting.isThere) return undefined
  if (setting.value === null) return setting.say('is empty; write issuer and audience, or take auth out.')
  const { issuer, audience, clientId, clientSecret, jwksUri, groupsClaim, proxy } = setting.only([
    'issuer',
    'audience',
    'clientId',
    'clientSecret',
    'jwksUri',
    'groupsClaim',
    'proxy',
  ])
  issuer.needed('write the address of the login')
  audience.needed('write whom the tokens are meant for: the address of this installation')
  issuer.url()
  if (clientSecret.isThere && !clientId.isThere) clientId.needed('write it beside clientSecret')
  const all = {
    proxy: readProxy(proxy),
    issuer: issuer.text(),
    audience: audience.text(),
    clientId: clientId.text(),
    clientSecret: clientSecret.text(),
    jwksUri: jwksUri.url()?.href,
    groupsClaim: groupsClaim.text(),
  }
  // What is missing among these was told, and ends the reading.
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as unknown as AuthConfig
}

function readProxy(setting: Setting): AuthConfig['proxy'] {
  if (!setting.isThere) return undefined
  const { header, from, groupsHeader } = setting.only(['header', 'from', 'groupsHeader'])
  const name = header.needed('write the header in which it says who somebody is').text()
  const addresses = from.needed('write the addresses that it connects from').items()
  const groups = groupsHeader.text()
  for (const address of addresses) if (isIP(String(address.value)) === 0) address.wrong('write an IP address')
  return name === undefined
    ? undefined
    : { header: name, from: addresses.map(({ value }) => String(value)), ...(groups && { groupsHeader: groups }) }
}

/** The shape only: what is inside is checked by the room that speaks with them. */
export function readProviders(setting: Setting): Config['providers'] {
  return Object.fromEntries(
    setting.entries().flatMap((entry) => {
      if (isPlainObject(entry.value)) return [[entry.path.at(-1) as string, entry.value]]
      entry.wrongKind('write { issuer: … }, { preset: … } or { apiKey: true }')
      return []
    }),
  )
}

/** Durations by name, in milliseconds, with the usual ones for what is left out. */
export function durations<Name extends string>(
  setting: Setting,
  usual: Readonly<Record<Name, string>>,
  longest?: { readonly ms: number; readonly text: string },
): Record<Name, number> {
  const names = Object.keys(usual) as Name[]
  const settings = setting.only(names)
  return Object.fromEntries(
    names.map((name) => [name, settings[name].duration(longest) ?? milliseconds(usual[name])]),
  ) as Record<Name, number>
}

/** Limits by name, with the usual ones for what is left out. */
export function counts(setting: Setting): Config['limits'] {
  const names = Object.keys(defaults.limits) as (keyof typeof defaults.limits)[]
  const settings = setting.only(names)
  return Object.fromEntries(
    names.map((name) => [name, settings[name].count() ?? defaults.limits[name]]),
  ) as Config['limits']
}

/** A way to reach people. */
export function readChannel(entry: Setting): ChannelConfig[] {
  if (!isPlainObject(entry.value)) {
    entry.wrongKind('write a channel, such as { webhook: { url: …, secret: … } }')
    return []
  }
  const { webhook } = entry.only(['webhook'])
  const { url, secret, name, allowPrivate } = webhook
    .needed('write { webhook: { url: …, secret: … } }')
    .only(['url', 'secret', 'name', 'allowPrivate'])
  if (!webhook.isThere) return []
  const address = url.needed('write where to send it').url()
  const key = secret.needed(`write what it is signed with, such as "\${env:HOOK_SECRET}"`).text()
  const called = name.text()
  const isPrivate = allowPrivate.flag()
  if (address !== undefined && isLoopback(address.hostname) && isPrivate !== true) {
    url.say('is on this machine; write allowPrivate: true beside it.')
  }
  if (address === undefined || key === undefined) return []
  return [
    {
      webhook: {
        url: address.href,
        secret: key,
        ...(called !== undefined && { name: called }),
        ...(isPrivate !== undefined && { allowPrivate: isPrivate }),
      },
    },
  ]
}

/** What may be changed about the pages. */
export function readPages(setting: Setting): Config['pages'] {
  const { primaryColor, title, prefix, names } = setting.only(['primaryColor', 'title', 'prefix', 'names'])
  const color = primaryColor.text()
  if (color !== undefined && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) {
    primaryColor.wrong('write a colour such as "#007bff", in quotes')
  }
  if (prefix.isThere && !/^[\w-]+(\/[\w-]+)*$/.test(String(prefix.value))) {
    prefix.wrong('write a path without a slash at its ends, of letters, digits, - and _')
  }
  for (const name of names.entries()) {
    if (!/^[\w-]+$/.test(String(name.value))) name.wrong('write one part of a path, of letters, digits, - and _')
  }
  return {
    primaryColor: color ?? defaults.pages.primaryColor,
    title: title.text() ?? defaults.pages.title,
    prefix: prefix.text() ?? defaults.pages.prefix,
    names: names.words(),
  }
}
