import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

const launchers = new Set([
  'npx',
  'npm',
  'node',
  'uvx',
  'uv',
  'python',
  'python3',
  'bunx',
  'bun',
  'deno',
  'docker',
  'tsx',
])
const subcommands = new Set(['run', 'exec', 'dlx', 'x'])
/** Files that are called the same in every package. */
const plainNames = new Set(['index', 'main', 'server', 'cli', 'app', 'start', 'bin', 'stdio', 'mcp', '__main__'])

/**
 * What a server is called, from its command line: the package that is run, or the program. A script whose own name says
 * nothing, such as `dist/index.js`, is called after its package.
 */
export function serverNameIn(words: readonly string[], folder = process.cwd()): string {
  const isSkipped = (one: string) => one.startsWith('-') || launchers.has(basename(one)) || subcommands.has(one)
  const word = words.find((one) => !isSkipped(one)) ?? words[0] ?? ''
  const own = basename(word)
    .replace(/(?<=.)@[^@/]*$/, '')
    .replace(/\.([cm]?[jt]s|py)$/, '')
  const [, installed] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/[^/]/.exec(word.replaceAll('\\', '/')) ?? []
  if (installed !== undefined) return basename(installed)
  const [, scope] = /^@([^/]+)\//.exec(word) ?? []
  if (scope !== undefined) return plainNames.has(own) ? `${scope}-${own}` : own
  return plainNames.has(own) && /[/\\.]/.test(word) ? (packageAt(dirname(resolve(folder, word))) ?? own) : own
}

/** The name in the nearest package.json, or that of the folder. */
function packageAt(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { name } = JSON.parse(readFileSync(`${at}/package.json`, 'utf8')) as { name?: unknown }
      if (typeof name === 'string' && name !== '') return basename(name)
    } catch {
      // There is none here, or it cannot be read: the one above may do.
    }
    if (dirname(at) === at) return basename(folder) || undefined
  }
}
