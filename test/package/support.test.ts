import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { sourcesIn } from '../support/sources.ts'

describe('test/support', () => {
  test('holds every helper that more than one test folder imports', async () => {
    const files = [...(await sourcesIn('test')), ...(await sourcesIn('bench')), ...(await sourcesIn('soak'))]
    const strays = files.flatMap(({ path, text }) =>
      importsIn(path, text)
        .filter((imported) => imported.startsWith('test/') && folderOf(imported) !== 'test/support')
        .filter((imported) => folderOf(imported) !== folderOf(path))
        .map((imported) => `${imported}, imported by ${path}`),
    )
    expect(strays).toEqual([])
  })

  test('imports nothing from the folders that it supports', async () => {
    const strays = (await sourcesIn('test/support')).flatMap(({ path, text }) =>
      importsIn(path, text).filter((imported) => imported.startsWith('test/') && folderOf(imported) !== 'test/support'),
    )
    expect(strays).toEqual([])
  })

  test('has at most 14 files in a folder', async () => {
    const counts = new Map<string, number>()
    for (const { path } of await sourcesIn('test/support')) {
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > 14)).toEqual([])
  })
})

/** The files that a file imports by a relative path, as paths in the repository. */
function importsIn(path: string, text: string): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(path), name))
}

/** Such as `test/web`. */
function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}
