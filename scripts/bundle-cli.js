import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Makes `dist/cli/` after tsc has written `dist/`: the command in few files, with the packages that it uses, because
 * opening and linking a thousand small modules is most of what a start costs. What is imported on demand stays in files
 * of its own. The entries of the library stay as tsc writes them.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/cli')

/** Native code, optional drivers, and undici, of which only one file is loaded (`connection-pool.ts`). */
const external = ['@redis/client', 'libsql', 'pg', 'undici', 'undici/*']

/** What packages written as CommonJS need to reach Node's own modules. */
const requires = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`

await rm(folder, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The variant for ES modules of a package that has two: unused parts of it are left out.
  mainFields: ['module', 'main'],
  external,
  banner: { js: requires },
  // Stack traces name lines of the sources; their text is not needed for that.
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
})
await writeFile(join(folder, 'third-party-licenses.txt'), await notices(Object.keys(metafile.inputs)))

/**
 * The licence of every package of which something is in the bundle.
 * @param {string[]} inputs
 */
async function notices(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []))
  const texts = await Promise.all([...folders].sort().map((folder) => notice(join(root, folder))))
  return `The files in this folder contain the following packages.\n\n${[...new Set(texts)].join('\n')}`
}

/** @param {string} folder */
async function notice(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const names = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort()
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), 'utf8')))
  if (license === undefined && texts.length === 0) throw new Error(`${name} says nothing about its licence.`)
  return `${'='.repeat(80)}\n${name} ${version} (${license ?? 'see below'})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`
}
