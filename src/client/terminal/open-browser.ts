import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from './screen.ts'

/** A program and what it is given. */
export type BrowserCommand = readonly [program: string, ...args: string[]]

/** What opens a page in the person's own browser. Each is given the address as it is: no shell reads it (S-10). */
export function browserCommand(url: string, platform: NodeJS.Platform, env: Environment): BrowserCommand {
  if (env.BROWSER) return [env.BROWSER, url]
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler', url]
  return env.WSL_DISTRO_NAME ? ['wslview', url] : ['xdg-open', url]
}

/**
 * Opens a page where neither this program nor a model sees it (E11-37): another program, which tells nothing back.
 * Rejects when there is none to open it with.
 */
export async function openBrowser(url: string, env: Environment = process.env): Promise<void> {
  const [program, ...args] = browserCommand(url, process.platform, env)
  const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false })
  child.unref()
  await once(child, 'spawn')
}
