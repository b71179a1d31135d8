import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** For tests of what is published: `dist/` as of now. A full run has just built it. */
export async function buildPackage(): Promise<void> {
  if (process.env.ASSENT_TEST_RUN === 'full') return
  const unlock = await locked()
  try {
    await promisify(execFile)('npm', ['run', '--silent', 'build']).catch(({ stdout }) => {
      throw new Error(`npm run build failed:\n${stdout}`)
    })
  } finally {
    await unlock()
  }
}

/** Two builds at once would delete each other's files. */
async function locked(): Promise<() => Promise<void>> {
  const checkout = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 12)
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
