import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Every file of TypeScript that is ours under a folder of the repository. Paths are written with slashes. */
export async function sourcesIn(folder: string): Promise<{ readonly path: string; readonly text: string }[]> {
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return { path: path.replaceAll(sep, '/'), text: await readFile(path, 'utf8') }
    }),
  )
}
