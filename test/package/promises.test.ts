import { relative } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

/**
 * A rejected promise that nobody waits for and nobody catches ends the process, and with it the calls of everybody. So each
 * one is awaited, returned, kept, given to `inBackground`, or has a `catch` at its end.
 */
test('no promise is left alone without a catch', () => {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram(fileNames, options)
  const checker = program.getTypeChecker()
  const alone: string[] = []
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || file.fileName.includes('node_modules')) continue
    const look = (node: ts.Node): void => {
      const left = leftAlone(node)
      if (left !== undefined && isPromise(checker, left) && !isCaught(left)) {
        const { line } = file.getLineAndCharacterOfPosition(left.getStart())
        alone.push(`${relative('.', file.fileName)}:${line + 1}`)
      }
      ts.forEachChild(node, look)
    }
    look(file)
  }
  expect(alone).toEqual([])
})

/** The expression of a statement, or of `void …`, whose value nobody uses. */
function leftAlone(node: ts.Node): ts.Expression | undefined {
  if (ts.isVoidExpression(node)) return node.expression
  if (!ts.isExpressionStatement(node)) return undefined
  const { expression } = node
  const isUsed =
    ts.isVoidExpression(expression) || ts.isAwaitExpression(expression) || ts.isBinaryExpression(expression)
  return isUsed ? undefined : expression
}

function isPromise(checker: ts.TypeChecker, expression: ts.Expression): boolean {
  const type = checker.getTypeAtLocation(expression)
  return (type.isUnion() ? type.types : [type]).some((one) => one.getProperty('then') !== undefined)
}

/** Whether it ends in `.catch(…)`, in `.then(…, …)`, or in `.finally(…)` after one of them. */
function isCaught(expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false
  const { name, expression: before } = expression.expression
  if (name.text === 'catch') return true
  if (name.text === 'then') return expression.arguments.length > 1
  return name.text === 'finally' && isCaught(before)
}
