import { execFile } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Installs the packages of a folder that has a lock of its own, unless they are there already. For packages that are too
 * heavy for everybody who works on Assent, or that ask for a newer Node than Assent does.
 */
export async function installOwnPackages(folder: string, args: readonly string[] = []): Promise<void> {
  const lock = join(folder, 'package-lock.json')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  const [wanted, present] = await Promise.all([readFile(lock, 'utf8'), readFile(installed, 'utf8').catch(() => '')])
  if (wanted === present) return
  await execute('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false', ...args], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  })
  await copyFile(lock, installed)
}

/** Runs a script of that folder's package. */
export async function runOwnScript(folder: string, name: string): Promise<void> {
  await execute('npm', ['run', '--silent', name], { cwd: folder, maxBuffer: 2 ** 26 })
}
