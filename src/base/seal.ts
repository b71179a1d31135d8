import { AssentError } from './errors.ts'

/** A secret at rest: unreadable without the key it names. */
export interface Sealed {
  /** Which key opens it. */
  readonly key: string
  readonly box: string
}

/** Seals and opens secrets. */
export interface Vault {
  /** `identity` says whose secret it is, and where it is kept: what was sealed for one place opens in no other. */
  seal(secret: string, identity: string): Promise<Sealed>
  /** Throws `KeyMissing` or `SealBroken`; never gives back anything but what was sealed. */
  open(sealed: Sealed, identity: string): Promise<string>
  /** The key that seals from now on. */
  currentKey(): Promise<string>
}

const longest = 8_192

/** Seals a value as text for a URL, a cookie or a form. `identity` says what for: it opens for nothing else. */
export async function sealText(vault: Vault, identity: string, value: unknown): Promise<string> {
  const { key, box } = await vault.seal(JSON.stringify(value), identity)
  return `${key}~${box}`
}

/** The value that was sealed under this identity; undefined for any other text. */
export async function openText(vault: Vault, identity: string, text: string): Promise<unknown> {
  const split = text.length > longest ? -1 : text.indexOf('~')
  if (split === -1) return undefined
  try {
    return JSON.parse(await vault.open({ key: text.slice(0, split), box: text.slice(split + 1) }, identity))
  } catch (error) {
    if (error instanceof AssentError && (error.code === 'seal_broken' || error.code === 'key_missing')) return undefined
    throw error
  }
}
