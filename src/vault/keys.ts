import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { BadKeys } from './errors.ts'

/** One key. A `KeyObject` keeps its bytes out of every log, dump and JSON text. */
export interface Key {
  readonly id: string
  readonly secret: KeyObject
}

/** All keys of an installation, in order: the first one seals, each one opens. */
export interface Keyring {
  readonly sealing: Key
  readonly byId: ReadonlyMap<string, Key>
}

/** The environment variable or file that the keys come from. */
export interface KeySource {
  /** The present keys. Changes by another process are noticed before anything is sealed. */
  keys(): Promise<Keyring>
  /** The keys, read again without the cache. */
  reload(): Promise<Keyring>
}

const keyBytes = 32
const howToMake = 'Write each key as id:key; `assent keys make` prints one.'

/** Whether a text is a valid key id. */
export function isKeyId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(text)
}

/** A new random key with a new id. */
export function makeKey(): Key {
  return { id: `k${randomBytes(4).toString('hex')}`, secret: createSecretKey(randomBytes(keyBytes)) }
}

/** The key with its secret, in the form that `parseKeys` reads. Only for the place where keys are stored. */
export function formatKey({ id, secret }: Key): string {
  return `${id}:${secret.export().toString('base64url')}`
}

/** Parses ASSENT_KEYS: `id:key`, separated by commas, spaces or new lines; 32 bytes each, in base64url or base64. */
export function parseKeys(text: string): Keyring {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  return keyringOf(entries, 'ASSENT_KEYS')
}

/** The keys of ASSENT_KEYS, which change only when the process is restarted. */
export function envKeys(text: string): KeySource {
  const keyring = parseKeys(text)
  return { keys: async () => keyring, reload: async () => keyring }
}

/** Parses keys, one per entry, and refuses all of them if one is wrong. `place` says where a person can correct it. */
export function keyringOf(entries: readonly string[], place: string): Keyring {
  const byId = new Map<string, Key>()
  for (const [index, entry] of entries.entries()) {
    const key = parseKey(entry)
    // A malformed entry may still contain a secret, so the message names its number and shows nothing of it.
    if (key === undefined) {
      throw new BadKeys(`Key number ${index + 1} of ${place} is not an id and 32 bytes in base64. ${howToMake}`)
    }
    if (byId.has(key.id)) {
      throw new BadKeys(`Key number ${index + 1} of ${place} has the id of one before it. Give each key its own id.`)
    }
    byId.set(key.id, key)
  }
  const [sealing] = byId.values()
  if (sealing === undefined) throw new BadKeys(`There is no key in ${place}. ${howToMake}`)
  return { sealing, byId }
}

function parseKey(entry: string): Key | undefined {
  const [, id, text] = /^([^:]*):([A-Za-z0-9+/_-]{43})=?$/.exec(entry) ?? []
  if (id === undefined || text === undefined || !isKeyId(id)) return undefined
  return { id, secret: createSecretKey(text, 'base64') }
}

const subKeys = new WeakMap<KeyObject, Map<string, KeyObject>>()

/** Derives the key for one purpose by HKDF-SHA256, so that it reveals nothing of the key or of other purposes. */
export function subKey({ secret }: Key, purpose: string): KeyObject {
  const known = subKeys.get(secret) ?? new Map<string, KeyObject>()
  subKeys.set(secret, known)
  const found = known.get(purpose)
  if (found !== undefined) return found

  const derived = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `assent/${purpose}`, keyBytes)))
  known.set(purpose, derived)
  return derived
}
