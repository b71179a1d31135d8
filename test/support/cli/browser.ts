import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary.ts'

/** A browser that writes down what it was told to open. */
export async function aBrowser(): Promise<{ env: Record<string, string>; opened(): Promise<string> }> {
  const folder = await temporaryFolder()
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')]
  await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${opened}\n`)
  await chmod(browser, 0o755)
  return { env: { BROWSER: browser }, opened: () => readFile(opened, 'utf8').catch(() => '') }
}
