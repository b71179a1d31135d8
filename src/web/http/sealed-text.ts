import { AssentError } from '../../base/errors.ts'
import type { Vault } from '../../base/seal.ts'

const longest = 8_192

/** Seals a value for one purpose, as text for a URL or a cookie. */
export async function sealText(vault: Vault, purpose: string, value: unknown): Promise<string> {
  const { key, box } = await vault.seal(JSON.stringify(value), identityOf(purpose))
  return `${key}~${box}`
}

/** The value that was sealed for this purpose; undefined for any other text. */
export async function openText(vault: Vault, purpose: string, text: string): Promise<unknown> {
  const split = text.length > longest ? -1 : text.indexOf('~')
  if (split === -1) return undefined
  try {
    return JSON.parse(await vault.open({ key: text.slice(0, split), box: text.slice(split + 1) }, identityOf(purpose)))
  } catch (error) {
    if (error instanceof AssentError && (error.code === 'seal_broken' || error.code === 'key_missing')) return undefined
    throw error
  }
}

const identityOf = (purpose: string) => `web/${purpose}`
