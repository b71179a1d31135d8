import { resolve } from 'node:path'
import { AssentError, BadArgument } from '../base/errors.ts'
import { BadKeys, KeyInUse } from './errors.ts'
import { formatKey, type Keyring, type KeySource, keyringOf, makeKey } from './keys.ts'
import { changePrivateFile, fileStamp, readPrivateFile } from './private-file.ts'

/** Keys in a file, which is created when it is first needed. */
export interface KeyFile extends KeySource {
  /** Adds a key that seals from now on, in every process that reads this file. Returns its id. */
  addKey(): Promise<string>
  /** Removes a key. The caller must know that nothing is sealed under it. The first key cannot be removed. */
  dropKey(id: string): Promise<void>
}

const header = `# The keys of Assent, one per line. The first one seals, each one opens.
# Keep a copy in a safe place: without these keys, everything sealed under them is lost.
`

/** A key file that only its owner can read. Concurrent processes agree on its keys, and lose none. */
export function keyFile(name: string): KeyFile {
  const path = resolve(name)
  let known: { keyring: Keyring; stamp: string } | undefined

  async function reload(): Promise<Keyring> {
    // Created only at the start: if the file goes missing later, its keys are lost, and a new file would hide that.
    if (known === undefined && fileStamp(path) === undefined) {
      await changePrivateFile(path, (text) => text ?? `${header}${formatKey(makeKey())}\n`)
    }
    const found = await readPrivateFile(path)
    if (found === undefined) throw missingFile(path)
    known = { keyring: keyringIn(found.text, path), stamp: found.stamp }
    return known.keyring
  }

  /** Changes the file, after checking that the new text can be parsed. */
  async function change(edit: (text: string, keyring: Keyring) => string): Promise<void> {
    await changePrivateFile(path, (text) => {
      if (text === undefined) throw missingFile(path)
      const changed = edit(text, keyringIn(text, path))
      keyringIn(changed, path)
      return changed
    })
    await reload()
  }

  return {
    keys: () =>
      withFileErrors(path, async () =>
        known !== undefined && known.stamp === fileStamp(path) ? known.keyring : reload(),
      ),

    reload: () => withFileErrors(path, reload),

    addKey: () =>
      withFileErrors(path, async () => {
        const key = makeKey()
        await reload()
        await change((text) => withFirstKey(text, formatKey(key)))
        return key.id
      }),

    dropKey: (id) =>
      withFileErrors(path, () =>
        change((text, { byId, sealing }) => {
          if (!byId.has(id)) throw new BadArgument(`There is no key "${id}" in ${path}.`)
          if (sealing.id === id) throw new KeyInUse(id)
          return withoutKey(text, id)
        }),
      ),
  }
}

function missingFile(path: string): BadKeys {
  return new BadKeys(
    `The key file ${path} is missing. Restore it from your copy: nothing can be opened without its keys.`,
  )
}

/** One key per line, so that removing a line removes one key. */
function keyringIn(text: string, path: string): Keyring {
  const entries = linesOf(text).map(keyOnLine)
  return keyringOf(
    entries.filter((entry) => entry !== ''),
    `the key file ${path}`,
  )
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}

function keyOnLine(line: string): string {
  return line.replace(/#.*/, '').trim()
}

function withFirstKey(text: string, entry: string): string {
  const lines = linesOf(text)
  const first = lines.findIndex((line) => keyOnLine(line) !== '')
  return lines.toSpliced(first, 0, entry).join('\n')
}

function withoutKey(text: string, id: string): string {
  const lines = linesOf(text).filter((line) => !keyOnLine(line).startsWith(`${id}:`))
  return lines.join('\n')
}

/** Turns errors of the file system into `BadKeys` with the name of the file. */
async function withFileErrors<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AssentError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new BadKeys(
      `The key file ${path} cannot be used (${code}). Check that you may read and write it, or choose another store.`,
      { cause: error },
    )
  }
}
