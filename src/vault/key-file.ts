import { resolve } from 'node:path'
import { AssentError, BadArgument } from '../base/errors.ts'
import { BadKeys, KeyInUse } from './errors.ts'
import { formatKey, type Keyring, type KeySource, keyringOf, makeKey } from './keys.ts'
import { changePrivate, readPrivate, stampNow } from './private-file.ts'

/** Keys in a file of their own, made when it is first needed. */
export interface KeyFile extends KeySource {
  /** Makes a key that seals from now on, in every process that reads this file. Returns its id. */
  addKey(): Promise<string>
  /** What is still sealed under it never opens again: the caller knows that nothing is. The first key is refused. */
  dropKey(id: string): Promise<void>
}

const header = `# The keys of Assent, one a line. The first one seals, each one opens.
# Keep a copy in a safe place: without these keys, what they sealed is lost.
`

/** A key file that only its owner can read. Processes that start or change it at once agree on its keys, and lose none. */
export function keyFile(name: string): KeyFile {
  const path = resolve(name)
  let known: { keyring: Keyring; stamp: string } | undefined

  async function reload(): Promise<Keyring> {
    // Made only at the start: a file that goes missing later takes its keys along, and a new one would hide that.
    if (known === undefined && stampNow(path) === undefined) {
      await changePrivate(path, (text) => text ?? `${header}${formatKey(makeKey())}\n`)
    }
    const found = await readPrivate(path)
    if (found === undefined) throw gone(path)
    known = { keyring: keyringIn(found.text, path), stamp: found.stamp }
    return known.keyring
  }

  /** Nothing is written that could not be read back. */
  async function change(edit: (text: string, keyring: Keyring) => string): Promise<void> {
    await changePrivate(path, (text) => {
      if (text === undefined) throw gone(path)
      const changed = edit(text, keyringIn(text, path))
      keyringIn(changed, path)
      return changed
    })
    await reload()
  }

  return {
    keys: () =>
      told(path, async () => (known !== undefined && known.stamp === stampNow(path) ? known.keyring : reload())),

    reload: () => told(path, reload),

    addKey: () =>
      told(path, async () => {
        const key = makeKey()
        await reload()
        await change((text) => withFirst(text, formatKey(key)))
        return key.id
      }),

    dropKey: (id) =>
      told(path, () =>
        change((text, { byId, sealing }) => {
          if (!byId.has(id)) throw new BadArgument(`There is no key "${id}" in ${path}.`)
          if (sealing.id === id) throw new KeyInUse(id)
          return without(text, id)
        }),
      ),
  }
}

function gone(path: string): BadKeys {
  return new BadKeys(`The key file ${path} is gone. Put it back from your copy: nothing opens without its keys.`)
}

/** One key a line, so that dropping a line drops one key. */
function keyringIn(text: string, path: string): Keyring {
  const entries = linesOf(text).map(keyOn)
  return keyringOf(
    entries.filter((entry) => entry !== ''),
    `the key file ${path}`,
  )
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}

function keyOn(line: string): string {
  return line.replace(/#.*/, '').trim()
}

function withFirst(text: string, entry: string): string {
  const lines = linesOf(text)
  const first = lines.findIndex((line) => keyOn(line) !== '')
  return lines.toSpliced(first, 0, entry).join('\n')
}

function without(text: string, id: string): string {
  const lines = linesOf(text).filter((line) => !keyOn(line).startsWith(`${id}:`))
  return lines.join('\n')
}

/** Whatever the file system refuses is told in words of ours, with the file's name. */
async function told<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AssentError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new BadKeys(`The key file ${path} cannot be used (${code}).`, { cause: error })
  }
}
