import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'

/** A file of a client that was changed, and where its copy is. */
export interface ChangedFile {
  readonly client: string
  readonly path: string
  /** Holds the file as it was, byte for byte. */
  readonly copy: string
  /** The digest of the file as `assent init` wrote it. Empty: it was changed by others between two runs, so the copy lacks that. */
  readonly after: string
}

/** Remembers what `assent init` changed, so that it can be put back. */
export interface ChangedFiles {
  list(): readonly ChangedFile[]
  /** Copies the file, remembers the change, and writes it, in this order: what is changed can always be put back. */
  change(client: string, path: string, before: Buffer, after: string): void
  /** Writes a file that was changed, and forgets the change with its copy. */
  putBack(file: ChangedFile, content: Buffer): void
}

/** `folder` is private to the person: a client's file may hold keys of servers. */
export function changedFilesIn(folder: string): ChangedFiles {
  const listFile = join(folder, 'changed-files.json')

  function list(): readonly ChangedFile[] {
    if (!existsSync(listFile)) return []
    const read: unknown = JSON.parse(readFileSync(listFile, 'utf8'))
    if (isPlainObject(read) && Array.isArray(read.files)) return read.files as ChangedFile[]
    throw new BadArgument(`${listFile} is damaged. The copies of the files that were changed are beside it.`)
  }

  function save(files: readonly ChangedFile[]): void {
    replace(listFile, `${JSON.stringify({ version: 1, files }, null, 2)}\n`, 0o600)
  }

  return {
    list,
    change(client, path, before, after) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const known = list().find((file) => file.path === path)
      const copy = known?.copy ?? join(folder, `${randomBytes(4).toString('hex')}-${basename(path)}`)
      // The oldest copy is the one from before Assent.
      if (known === undefined) writeFileSync(copy, before, { flag: 'wx', mode: 0o600 })
      const isOurs = known === undefined || known.after === digestOf(before)
      const changed = { client, path, copy, after: isOurs ? digestOf(after) : '' }
      save([...list().filter((file) => file.path !== path), changed])
      replace(path, after)
    },
    putBack(file, content) {
      replace(file.path, content)
      save(list().filter(({ path }) => path !== file.path))
      rmSync(file.copy, { force: true })
    },
  }
}

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Replaces a file in one step, so that its client never reads half of it. A link stays a link. */
function replace(path: string, content: string | Buffer, mode?: number): void {
  const real = existsSync(path) ? realpathSync(path) : path
  const temporary = join(dirname(real), `.${basename(real)}.${randomBytes(4).toString('hex')}`)
  writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 })
  chmodSync(temporary, mode ?? statSync(real).mode)
  renameSync(temporary, real)
}
