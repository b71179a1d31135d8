import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { sourcesIn } from '../support/sources.ts'

/** What users write: their editor shows the comment of each setting. */
const isSetting = (name: string) => /(Options|Settings|Limits|Ask)$/.test(name)

test('every option that the package exports says what it is', async () => {
  const exported = new Set(entries().flatMap(exportedNames))
  const silent = (await sourcesIn('src')).flatMap(({ path, text }) =>
    parsed(path, text)
      .statements.filter(ts.isInterfaceDeclaration)
      .filter(({ name }) => isSetting(name.text) && exported.has(name.text))
      .flatMap(({ name, members }) => silentIn(members).map((member) => `${path}: ${name.text}.${member}`)),
  )
  expect(exported).toContain('AssentOptions')
  expect(silent).toEqual([])
})

/** The files behind the entries of package.json. */
function entries(): string[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.values<{ default?: string }>(exports).flatMap(({ default: file }) =>
    file === undefined ? [] : [file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  )
}

function exportedNames(file: string): string[] {
  return parsed(file, readFileSync(file, 'utf8')).statements.flatMap((statement) => {
    if (ts.isInterfaceDeclaration(statement)) return [statement.name.text]
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return []
    return ts.isNamedExports(statement.exportClause) ? statement.exportClause.elements.map(({ name }) => name.text) : []
  })
}

function parsed(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

function silentIn(members: ts.NodeArray<ts.TypeElement>): string[] {
  return members.flatMap((member) => {
    const name = member.name?.getText() ?? '?'
    const type = ts.isPropertySignature(member) ? member.type : undefined
    // A group of settings needs no comment of its own: each of its settings has one.
    if (type !== undefined && ts.isTypeLiteralNode(type)) return silentIn(type.members).map((one) => `${name}.${one}`)
    return ts.getJSDocCommentsAndTags(member).length > 0 ? [] : [name]
  })
}
