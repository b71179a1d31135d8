import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const checkout = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 12)
const builtFile = join(tmpdir(), `assent-build-${checkout}.built`)

/** For tests of what is published: `dist/` as of now. A full run has just built it. */
export async function buildPackage(): Promise<void> {
  if (process.env.ASSENT_TEST_RUN === 'full') return
  const unlock = await locked()
  try {
    // A build deletes `dist/` first, under the feet of a test file that already runs beside this one.
    const sources = await sourcesDigest()
    if (existsSync('dist/cli/main.js') && (await readFile(builtFile, 'utf8').catch(() => '')) === sources) return
    await rm(builtFile, { force: true })
    await promisify(execFile)('npm', ['run', '--silent', 'build']).catch(({ stdout }) => {
      throw new Error(`npm run build failed:\n${stdout}`)
    })
    await writeFile(builtFile, sources)
  } finally {
    await unlock()
  }
}

/** Changes with every file that a build reads. */
async function sourcesDigest(): Promise<string> {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts')).sort()
  const digest = createHash('sha256')
  for (const path of [
    'package.json',
    'package-lock.json',
    'scripts/bundle-cli.js',
    'tsconfig.json',
    'tsconfig.build.json',
    ...names.map((name) => join('src', name)),
  ]) {
    digest.update(path).update(await readFile(path))
  }
  return digest.digest('hex')
}

/** Two builds at once would delete each other's files. */
async function locked(): Promise<() => Promise<void>> {
  const file = join(tmpdir(), `assent-build-${checkout}.lock`)
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' })
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    // Whoever was killed while building holds it no longer.
    const holder = Number(await readFile(file, 'utf8').catch(() => ''))
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true })
    await pause(100)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
