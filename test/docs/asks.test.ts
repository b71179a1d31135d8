import { readFile } from 'node:fs/promises'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { tableUnder } from '../support/tables.ts'

test('docs/asking.md lists every ask of a handler, and no other', async () => {
  const page = await readFile('docs/asking.md', 'utf8')
  const listed = tableUnder(page, '## What a handler is given').map(([call = '']) => /^`ask\.(\w+)\(/.exec(call)?.[1])

  expect(listed.sort()).toEqual((await methodsOf('src/asking/asks.ts', 'Asks')).sort())
})

/** The names of the methods that an interface declares. */
async function methodsOf(file: string, name: string): Promise<string[]> {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const declared = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (declared === undefined) throw new Error(`${file} declares no interface ${name}.`)
  return (declared as ts.InterfaceDeclaration).members.map((member) => member.name?.getText() ?? '')
}
