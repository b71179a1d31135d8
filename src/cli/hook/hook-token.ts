import { randomBytes } from 'node:crypto'
import { readAddress } from '../../stores/open.ts'
import { changePrivateFile, readPrivateFile } from '../../vault/private-file.ts'

/** Where the token of hooks is, as far as settings say. */
export interface TokenPlace {
  readonly token?: string | undefined
  readonly store: string
}

/** The token of hooks, made and kept beside an SQLite store if the settings have none. Undefined: there is no place for one. */
export async function makeHookToken(place: TokenPlace): Promise<string | undefined> {
  const file = place.token === undefined ? fileBeside(place.store) : undefined
  if (file !== undefined) {
    await changePrivateFile(file, (text) => text ?? `${randomBytes(32).toString('base64url')}\n`)
  }
  return readHookToken(place)
}

/** The token of hooks, if there is one. Only its owner can read the file. */
export async function readHookToken({ token, store }: TokenPlace): Promise<string | undefined> {
  if (token !== undefined) return token
  const file = fileBeside(store)
  const kept = file === undefined ? undefined : await readPrivateFile(file)
  return kept?.text.trim() || undefined
}

function fileBeside(store: string): string | undefined {
  const address = readAddress(store)
  return address.kind === 'sqlite' ? `${address.path}.hook-token` : undefined
}
