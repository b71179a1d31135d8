import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** For tests of what is published: `dist/` as of now. A full run has just built it. */
export async function buildPackage(): Promise<void> {
  if (process.env.ASSENT_TEST_RUN === 'full') return
  await promisify(execFile)('npm', ['run', '--silent', 'build']).catch(({ stdout }) => {
    throw new Error(`npm run build failed:\n${stdout}`)
  })
}
