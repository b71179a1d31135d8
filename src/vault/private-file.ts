import { constants, lstatSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BadKeys } from './errors.ts'

/** What was in the file, and the stamp it had then. */
interface Read {
  readonly text: string
  readonly stamp: string
}

const longestChangeMs = 10_000
const retryMs = 20

/** A stamp that another one takes the place of whenever the file is changed. Undefined: no file. */
export function stampNow(path: string): string | undefined {
  // Takes a microsecond, where an asynchronous stat takes longer than sealing does.
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && stampOf(stats)
}

/** Reads a file that nobody but its owner can read or write, and refuses any other. Undefined: no file. */
export async function readPrivate(path: string): Promise<Read | undefined> {
  const file = await openIfThere(path)
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
 * Replaces the whole text by what `edit` makes of it, one process at a time. The new text is written into the lock
 * itself, which then takes the file's name: whoever reads sees the old text or the new one, never a part.
 */
export async function changePrivate(path: string, edit: (text: string | undefined) => string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const lock = `${path}.lock`
  const file = await takeLock(lock)
  try {
    const before = (await readPrivate(path))?.text
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

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    // Not through a link, which a change would replace; and without waiting for the other end of a pipe.
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
  // Windows has neither owners nor modes of this kind.
  if (process.getuid === undefined) return
  const mine = process.getuid()
  if (stats.uid !== BigInt(mine)) {
    throw new BadKeys(`The key file ${path} belongs to another user. Make it yours: chown ${mine} ${path}`)
  }
  if ((stats.mode & 0o077n) !== 0n) {
    throw new BadKeys(`The key file ${path} is open to other users. Make it yours alone: chmod 600 ${path}`)
  }
}

function notAFile(path: string): BadKeys {
  return new BadKeys(`${path} is not a regular file. Name the key file itself, not a link, folder or device.`)
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: Record<'ino' | 'size' | 'mtimeNs' | 'ctimeNs', bigint>): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}

/** A lock left by a crash is not broken by guess: a process that is only slow would then undo someone's new key. */
async function takeLock(lock: string): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(lock, 'wx', 0o600)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const held = statSync(lock, { throwIfNoEntry: false })
    if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > longestChangeMs) {
      throw new BadKeys(`${lock} was left by a process that stopped. When no Assent is changing keys, delete it.`)
    }
    await sleep(retryMs)
  }
}

/** A new name outlives a power cut only once its folder is on disk; so must a key that is about to seal something. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
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
