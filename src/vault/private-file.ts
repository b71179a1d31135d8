import { constants, lstatSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BadKeys } from './errors.ts'

/** The text of the file, and its stamp at the time of reading. */
interface PrivateText {
  readonly text: string
  readonly stamp: string
}

const maxChangeMs = 10_000
const retryMs = 20

/** A stamp that changes whenever the file does. Undefined if there is no file. */
export function fileStamp(path: string): string | undefined {
  // Synchronous, because it takes a microsecond, while an asynchronous stat takes longer than sealing.
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && stampOf(stats)
}

/** Reads a file that only its owner can read or write, and refuses any other. Undefined if there is no file. */
export async function readPrivateFile(path: string): Promise<PrivateText | undefined> {
  const file = await openIfExists(path)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat({ bigint: true })
    checkPrivate(path, stats)
    return { text: await file.readFile('utf8'), stamp: stampOf(stats) }
  } finally {
    await file.close()
  }
}

/**
 * Replaces the text by the result of `edit`, one process at a time. The new text is written into the lock file, which is
 * then renamed to the file, so that readers see the old text or the new one, never a part.
 */
export async function changePrivateFile(path: string, edit: (text: string | undefined) => string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const lock = `${path}.lock`
  const file = await takeLock(lock)
  try {
    const before = (await readPrivateFile(path))?.text
    const after = edit(before)
    if (after === before) return await rm(lock)
    await file.writeFile(after)
    await file.sync()
    await rename(lock, path)
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    // Does not follow a link, which a change would replace, and does not block on a pipe.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP') throw notAFile(path)
    throw error
  }
}

interface Ownership {
  readonly mode: bigint
  readonly uid: bigint
  isFile(): boolean
}

function checkPrivate(path: string, stats: Ownership): void {
  if (!stats.isFile()) throw notAFile(path)
  // Windows has no such owners and modes.
  if (process.getuid === undefined) return
  const ownUid = process.getuid()
  if (stats.uid !== BigInt(ownUid)) {
    throw new BadKeys(`The key file ${path} belongs to another user. Change its owner: chown ${ownUid} ${path}`)
  }
  if ((stats.mode & 0o077n) !== 0n) {
    throw new BadKeys(
      `The key file ${path} can be read or written by other users. Restrict it to yourself: chmod 600 ${path}`,
    )
  }
}

function notAFile(path: string): BadKeys {
  return new BadKeys(`${path} is not a regular file. Name the key file itself, not a link, folder or device.`)
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: Record<'ino' | 'size' | 'mtimeNs' | 'ctimeNs', bigint>): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}

/** Never removes an old lock: its process may only be slow, and would then overwrite a newer key. */
async function takeLock(lock: string): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(lock, 'wx', 0o600)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const held = statSync(lock, { throwIfNoEntry: false })
    if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > maxChangeMs) {
      throw new BadKeys(
        `${lock} was left by a process that stopped. Delete it when no Assent process is changing keys.`,
      )
    }
    await sleep(retryMs)
  }
}

/** Writes the folder to disk, so that the new file, and the key in it, survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
