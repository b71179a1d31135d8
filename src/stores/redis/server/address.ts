import { isUrl } from '../../../base/public-address.ts'
import { BadStoreUrl } from '../../errors.ts'

/** The address of a Redis server, parsed. */
export interface RedisAddress {
  /** For people, without user and password. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  readonly database: number
  readonly username?: string
  readonly password?: string
  /** What the names of all keys begin with. */
  readonly prefix: string
}

const example = 'redis://user:password@host:port/database'
const defaultPort = 6379
const defaultPrefix = 'assent'

/** Parses `redis://…` or `rediss://…` (TLS), with `?prefix=` for several installations in one database. */
export function readRedisAddress(url: string): RedisAddress {
  // The address may contain a password, so no message repeats any part of it.
  if (!isUrl(url) || !/^rediss?:\/\/[^/]/.test(url)) throw new BadStoreUrl(`A redis: address is written ${example}`)
  const { protocol, hostname, port, pathname, searchParams, username, password } = new URL(url)
  const database = /^\/?(\d{0,4})$/.exec(pathname)?.[1]
  if (hostname === '' || database === undefined) throw new BadStoreUrl(`A redis: address is written ${example}`)
  const unknown = [...searchParams.keys()].filter((key) => key !== 'prefix')
  if (unknown.length > 0) throw new BadStoreUrl(`A redis: address does not support ${unknown.join(', ')}, only prefix.`)
  const prefix = searchParams.get('prefix') ?? defaultPrefix
  if (!/^[\w.-]{1,64}$/.test(prefix)) {
    throw new BadStoreUrl('The prefix in a redis: address has up to 64 letters, digits, dots, dashes and underscores.')
  }
  const place = `${hostname}:${port || defaultPort}/${Number(database)}`
  return {
    name: `${protocol}//${place}${prefix === defaultPrefix ? '' : `?prefix=${prefix}`}`,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || defaultPort),
    isTls: protocol === 'rediss:',
    database: Number(database),
    ...(username !== '' && { username: decoded(username) }),
    ...(password !== '' && { password: decoded(password) }),
    prefix,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new BadStoreUrl('The address of the store cannot be read. Is something in it not percent-encoded?')
  }
}
