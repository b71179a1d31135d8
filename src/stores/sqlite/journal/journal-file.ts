import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { isPlainObject } from '../../../base/json.ts'
import type { AuditRow } from '../../rows/audit.ts'

/** The files of journals are beside the database, and their names begin with this. SQLite uses `-journal` itself. */
export const journalPrefix = (database: string) => `${database}-audit-`

/** A file that only this process appends to. Other processes read it, and may retire it: see `retire`. */
export interface JournalFile {
  /** Its path; undefined while there is none. */
  path(): string | undefined
  /** The text is in the file when this returns. If it throws, nothing of it is. */
  append(text: string): void
  /** Empties the file. */
  clear(): void
  /** Deletes the file. */
  remove(): void
}

/** A file that another process retires has this mode, which its owner looks at after each write. */
export const retiredMode = 0o400

interface OpenFile {
  readonly path: string
  readonly descriptor: number
  bytes: number
}

/** The journal file of this process. It is made with the first line. */
export function createJournalFile(database: string): JournalFile {
  let file: OpenFile | undefined

  function open(): OpenFile {
    const path = `${journalPrefix(database)}${randomBytes(12).toString('hex')}`
    // `x`: never a file that is there already. `a`: after it was emptied, writes begin at its start again.
    return { path, descriptor: openSync(path, 'ax', 0o600), bytes: 0 }
  }

  function leave(): void {
    if (file !== undefined) closeSync(file.descriptor)
    file = undefined
  }

  return {
    path: () => file?.path,
    append(text) {
      file ??= open()
      write(file, text)
      // Another process may have read it for the last time before this was written, so it goes into a new file too.
      while (isRetired(file)) {
        leave()
        file = open()
        write(file, text)
      }
    },
    clear() {
      if (file === undefined || file.bytes === 0) return
      ftruncateSync(file.descriptor, 0)
      file.bytes = 0
    },
    remove() {
      const path = file?.path
      leave()
      if (path !== undefined) ignoreMissing(() => unlinkSync(path))
    },
  }
}

function write(file: OpenFile, text: string): void {
  const length = Buffer.byteLength(text)
  try {
    // Nearly always all of it is written at once.
    const first = writeSync(file.descriptor, text)
    if (first < length) writeRest(file.descriptor, Buffer.from(text), first)
  } catch (error) {
    // The disk is full, for instance. Half a line would spoil the next one.
    ftruncateSync(file.descriptor, file.bytes)
    throw error
  }
  file.bytes += length
}

function writeRest(descriptor: number, bytes: Buffer, from: number): void {
  for (let done = from; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
}

function isRetired({ descriptor }: OpenFile): boolean {
  const { mode, nlink } = fstatSync(descriptor)
  return nlink === 0 || (mode & 0o777) === retiredMode
}

/** For a file that several processes may delete. */
export function ignoreMissing(work: () => void): void {
  try {
    work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** An event as it is in a journal. What was kept in full is never in one, since it must be possible to erase it. */
export type JournalRow = Omit<AuditRow, 'seq' | 'at' | 'kept' | 'kept_digest'> & {
  readonly seq: number
  readonly at: number
}

/** An event as one line of a journal: a checksum, and its values as JSON. */
export function toLine({ chain, seq, at, kind, who, about, data, prev, mac }: JournalRow): string {
  // `data` is JSON already, and is put in as it is. Put together here, because each call writes two lines.
  const text = `[${quoted(chain)},${seq},${at},${quoted(kind)},${quoted(who)},${quoted(about)},${quoted(prev)},${quoted(mac)},${data}]`
  return `${crc32(text).toString(16)} ${text}\n`
}

/** Nothing in it needs escaping, as in all ids, digests and kinds. */
const plainText = /^[ !#-[\]-~]*$/

function quoted(text: string | null): string {
  if (text === null) return 'null'
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/**
 * The events in the text of a journal. A line that is not whole is left out: its process was killed while it wrote the
 * line, or is writing it, or emptied the file while it was read. In each case nobody was told that the event is stored,
 * or the event is in the database.
 */
export function fromLines(text: string): JournalRow[] {
  return text.split('\n').slice(0, -1).flatMap(fromLine)
}

function fromLine(line: string): JournalRow[] {
  const space = line.indexOf(' ')
  const text = line.slice(space + 1)
  if (line.slice(0, space) !== crc32(text).toString(16)) return []
  const row = rowOf(parse(text))
  return row === undefined ? [] : [row]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function rowOf(values: unknown): JournalRow | undefined {
  if (!Array.isArray(values) || values.length !== 9) return undefined
  const [chain, seq, at, kind, who, about, prev, mac, data] = values
  const areTexts = [chain, kind, prev, mac, who ?? '', about ?? ''].every((text) => typeof text === 'string')
  if (!areTexts || !Number.isSafeInteger(seq) || !Number.isFinite(at) || !isPlainObject(data)) return undefined
  return { chain, seq, at, kind, who, about, data: JSON.stringify(data), prev, mac }
}
