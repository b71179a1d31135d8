import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const servers = ['everything', 'filesystem', 'memory'].map((name) => `@modelcontextprotocol/server-${name}`)

/** The folder that the published packages are installed into. It is kept, so that the next run is quicker. */
export class Packages {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Node 24, which some of the clients need; the first of all, because npm chooses versions that the Node on its path can run. */
  async prepare(isInstalled: boolean): Promise<void> {
    if (!isInstalled) await this.install('node', ['node@24'])
    process.env.PATH = `${this.file('node', 'node/bin')}:${process.env.PATH}`
    if (!isInstalled)
      await this.install(
        'servers',
        servers.map((name) => `${name}@latest`),
      )
  }

  /** Installs packages together, in a folder of their own, from the registry that npm is set to. */
  async install(name: string, packages: readonly string[]): Promise<void> {
    const cwd = join(this.#folder, name)
    await mkdir(cwd, { recursive: true })
    const allowScripts = Object.fromEntries(packages.map((one) => [one.replace(/(?<=.)@.*$/, ''), true]))
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, allowScripts }))
    await command('npm', ['install', '--no-audit', '--no-fund', ...packages], cwd)
  }

  /** The version that is installed. */
  async version(name: string, packageName: string): Promise<string> {
    const text = await readFile(this.file(name, join(packageName, 'package.json')), 'utf8')
    return JSON.parse(text).version
  }

  /** A file of an installed package. */
  file(name: string, path: string): string {
    return join(this.#folder, name, 'node_modules', path)
  }

  /** The program that a package brings, such as `codex`. */
  bin(name: string, program: string): string {
    return this.file(name, join('.bin', program))
  }

  server(name: string): string {
    return this.file('servers', `@modelcontextprotocol/server-${name}/dist/index.js`)
  }
}

/** tmux, from Debian's packages where it is missing and we are root. */
export async function bringTmux(): Promise<boolean> {
  const works = () =>
    command('tmux', ['-V']).then(
      () => true,
      () => false,
    )
  if (await works()) return true
  if (process.getuid?.() !== 0) return false
  await command('apt-get', ['update']).catch(() => undefined)
  await command('apt-get', ['install', '--yes', '--no-install-recommends', 'tmux']).catch(() => undefined)
  return works()
}

/** Runs a command to its end, and for ten minutes at most. */
async function command(program: string, args: readonly string[], cwd?: string): Promise<void> {
  await promisify(execFile)(program, args, { timeout: 600_000, ...(cwd !== undefined && { cwd }) })
}
