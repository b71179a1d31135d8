import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the compiled programs. */
    programs: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Programs that tests start as processes of their own. */
const isProgram = (path: string) => /-process\.ts$|\/programs\/[^/]+\.ts$/.test(path)

/**
 * Compiles the programs before the first test. A process that compiles its sources itself takes three times as long
 * to start, and the tests start hundreds.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Inside the checkout, so that the programs find the packages they import. One folder for each run of the tests.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'assent-programs-'))
  const files = await readdir(join(root, 'test'), { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => `test/${file}`).filter(isProgram),
    outbase: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // No `keepNames`: the package is built without it, and it takes 250 bytes for each closure of a waiting request.
    plugins: [ownUrls],
    logLevel: 'error',
  })
  project.provide('programs', folder)
  return () => rm(folder, { recursive: true, force: true })
}

/** Code that looks for files beside its own must find them where its source is. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}
