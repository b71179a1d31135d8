import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

/** One source file of src/, as far as the meters look at it. */
interface Source {
  readonly path: string
  /** Files of src/ that it loads, at once or when they are needed. Imports of types load nothing. */
  readonly imports: readonly string[]
  /** Names that it declares and exports itself. */
  readonly declares: readonly string[]
  /** Functions with many parameters, as `name(count)`. */
  readonly wide: readonly string[]
}

const mostParameters = 5

/** Reads every file of src/. */
export function readSources(root = resolve('src')): Source[] {
  return filesIn(root).map((path) => {
    const text = readFileSync(path, 'utf8')
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const imports: string[] = []
    const declares: string[] = []
    const wide: string[] = []
    for (const statement of file.statements) {
      const from =
        ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined
      if (from !== undefined && ts.isStringLiteral(from) && from.text.startsWith('.') && isLoaded(statement)) {
        imports.push(relative(root, resolve(dirname(path), from.text)))
      }
      declares.push(...declaredIn(statement))
    }
    const look = (node: ts.Node): void => {
      const [given] =
        ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments : []
      if (given !== undefined && ts.isStringLiteral(given) && given.text.startsWith('.')) {
        imports.push(relative(root, resolve(dirname(path), given.text)))
      }
      if (ts.isFunctionLike(node) && node.parameters.length > mostParameters) {
        wide.push(`${node.name?.getText(file) ?? 'anonymous'}(${node.parameters.length})`)
      }
      ts.forEachChild(node, look)
    }
    look(file)
    return { path: relative(root, path), imports, declares, wide }
  })
}

/** The longest chain of imports, outermost file first. */
export function longestChain(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const known = new Map<string, string[]>()
  const from = (path: string, above: readonly string[]): string[] => {
    const before = known.get(path)
    if (before !== undefined) return before
    const chains = (byPath.get(path)?.imports ?? [])
      .filter((next) => !above.includes(next))
      .map((next) => from(next, [...above, path]))
    const longest = chains.reduce((one, other) => (other.length > one.length ? other : one), [] as string[])
    const chain = [path, ...longest]
    known.set(path, chain)
    return chain
  }
  return sources.map(({ path }) => from(path, [])).reduce((one, other) => (other.length > one.length ? other : one), [])
}

/** Exported names that more than one file declares, with those files. */
export function declaredTwice(sources: readonly Source[]): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const { path, declares } of sources) {
    for (const name of new Set(declares)) byName.set(name, [...(byName.get(name) ?? []), path])
  }
  return new Map([...byName].filter(([, paths]) => paths.length > 1))
}

/** How many files each folder of src/ has at its top. */
export function filesPerFolder(sources: readonly Source[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return counts
}

/** An import of types alone is erased. */
function isLoaded(statement: ts.Statement): boolean {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement
    const areTypes = exportClause !== undefined && ts.isNamedExports(exportClause)
    return !statement.isTypeOnly && !(areTypes && exportClause.elements.every(({ isTypeOnly }) => isTypeOnly))
  }
  const { importClause } = statement as ts.ImportDeclaration
  if (importClause === undefined) return true
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false
  const { name, namedBindings } = importClause
  if (name !== undefined || namedBindings === undefined || ts.isNamespaceImport(namedBindings)) return true
  return namedBindings.elements.some(({ isTypeOnly }) => !isTypeOnly)
}

function declaredIn(statement: ts.Statement): string[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  if (!isExported) return []
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
  }
  const { name } = statement as unknown as { name?: ts.Identifier }
  return name === undefined ? [] : [name.text]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return entry.name.endsWith('.ts') ? [path] : []
  })
}
