import { readFile } from 'node:fs/promises'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { sourcesIn } from '../support/sources.ts'

describe('code that uses Assent as its users do', () => {
  test('finds the sources of every public entry by the name it is published under', async () => {
    const { exports } = JSON.parse(await readFile('package.json', 'utf8'))
    const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))

    const entries = Object.entries<string | { default: string }>(exports).flatMap(([entry, target]) =>
      typeof target === 'string' ? [] : [[entry.replace(/^\./, 'assent'), [sourceOf(target.default)]]],
    )
    expect(compilerOptions.paths).toEqual(Object.fromEntries(entries))
  })

  test('is every example: none reaches into src', async () => {
    const imports = (await sourcesIn('examples')).flatMap(({ path, text }) =>
      ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({ path, fileName })),
    )
    expect(imports.filter(({ fileName }) => fileName.includes('src/'))).toEqual([])
    expect(imports.some(({ fileName }) => fileName === 'assent')).toBe(true)
  })
})

function sourceOf(built: string): string {
  return built.replace(/^\.\/dist\//, './src/').replace(/\.js$/, '.ts')
}
