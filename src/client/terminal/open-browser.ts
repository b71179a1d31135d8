import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TerminalEnvironment } from './screen.ts'

/** A program and its arguments. */
export type BrowserCommand = readonly [program: string, ...args: string[]]

/**
 * The command that opens a page in the person's browser. The address is passed as an argument, without a shell (S-10).
 */
export function browserCommand(url: string, platform: NodeJS.Platform, env: TerminalEnvironment): BrowserCommand {
  if (env.BROWSER) return [env.BROWSER, url]
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler', url]
  return env.WSL_DISTRO_NAME ? ['wslview', url] : ['xdg-open', url]
}

/**
 * Opens a page in a separate program, so that neither this process nor a model sees it (E11-37).
 * Rejects if that program cannot be started.
 */
export async function openBrowser(url: string, env: TerminalEnvironment = process.env): Promise<void> {
  const [program, ...args] = browserCommand(url, process.platform, env)
  const child = spawn(program, args, { stdio: 'ignore', detached: true, shell: false })
  child.unref()
  await once(child, 'spawn')
}
