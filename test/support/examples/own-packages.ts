import { execFile } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Installs the packages of a folder that has a lock of its own, unless they are there already. For packages that are too
 * heavy for everybody who works on Assent, or that ask for a newer Node than Assent does.
 */
export async function installOwnPackages(folder: string, args: readonly string[] = []): Promise<void> {
  if (await isInstalled(folder)) return
  await oneAtATime(folder, async () => {
    if (await isInstalled(folder)) return
    await execute('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false', ...args], {
      cwd: folder,
      maxBuffer: 2 ** 26,
    })
    await copyFile(...locksOf(folder))
  })
}

const locksOf = (folder: string) =>
  [join(folder, 'package-lock.json'), join(folder, 'node_modules/.installed-lock.json')] as const

async function isInstalled(folder: string): Promise<boolean> {
  const [lock, installed] = locksOf(folder)
  const [wanted, present] = await Promise.all([readFile(lock, 'utf8'), readFile(installed, 'utf8').catch(() => '')])
  return wanted === present
}

/** Several test files use the same packages, and run at the same time. */
async function oneAtATime(folder: string, install: () => Promise<void>): Promise<void> {
  const mine = join(folder, '.installing')
  while (
    !(await writeFile(mine, String(process.pid), { flag: 'wx' }).then(
      () => true,
      () => false,
    ))
  ) {
    const holder = Number(await readFile(mine, 'utf8').catch(() => ''))
    // Left behind by tests that were killed.
    if (holder > 0 && !isRunning(holder)) await rm(mine, { force: true })
    await sleep(100)
  }
  try {
    await install()
  } finally {
    await rm(mine, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs a script of that folder's package. */
export async function runOwnScript(folder: string, name: string): Promise<void> {
  await execute('npm', ['run', '--silent', name], { cwd: folder, maxBuffer: 2 ** 26 })
}
