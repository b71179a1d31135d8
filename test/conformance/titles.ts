import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The ids of requirements, as they are cited. */
export const idPattern = /\b(?:[EMBVHTLXUK](?:06|11|26)|[OS])-\d\d\b/g

/** Which test files cite which ids in the names of their tests. The contract suite is public, and so lies in src. */
export function citations(): Map<string, Set<string>> {
  const cited = new Map<string, Set<string>>()
  for (const file of [...filesIn('test', '.test.ts'), ...filesIn('src/testing', '.ts')]) {
    for (const id of titlesIn(file, readFileSync(file, 'utf8')).join('\n').match(idPattern) ?? []) {
      cited.set(id, (cited.get(id) ?? new Set()).add(relative(root, file)))
    }
  }
  return cited
}

function filesIn(folder: string, ending: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The names of tests and groups, and the text of the tables that `each` makes names of. */
export function titlesIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const declared = new Map<string, ts.Node>()
  const titles: string[] = []

  eachNode(source, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) declared.set(node.name.text, node)
    if (!ts.isCallExpression(node) || !isOfTests(node.expression)) return
    const isTable = ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'each'
    if (isTable) titles.push(...node.arguments.flatMap((table) => textOfTable(table, declared)))
    else if (node.arguments[0] !== undefined) titles.push(node.arguments[0].getText())
  })
  return titles
}

/** `test`, `test.each`, `test.each(…)`, `describe.skipIf(…)` and so on. */
function isOfTests(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ['test', 'it', 'describe'].includes(callee.text)
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isOfTests(callee.expression)
  return false
}

/** What is said in a table, also where it is only named. */
function textOfTable(table: ts.Node, declared: ReadonlyMap<string, ts.Node>): string[] {
  const texts: string[] = []
  const collect = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) texts.push(node.getText())
  }
  eachNode(table, (node) => {
    collect(node)
    const named = ts.isIdentifier(node) ? declared.get(node.text) : undefined
    if (named !== undefined) eachNode(named, collect)
  })
  return texts
}

function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => eachNode(child, visit))
}
