import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { tableUnder } from '../support/tables.ts'

interface ListedCommand {
  readonly path: string
  readonly command: Command
}

/** Every command that people can run, with the words that lead to it. Groups of commands are left out. */
function commandsOf(command: Command, path = 'assent'): ListedCommand[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const inside = commandsOf(one, `${path} ${one.name()}`)
      const isCommand = inside.length === 0 || one.name() === 'inbox'
      return isCommand ? [{ path: `${path} ${one.name()}`, command: one }, ...inside] : inside
    })
}

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  return help
}

const commands = commandsOf(await createProgram())

test('docs/operation.md lists every command with its description, and no other', async () => {
  const page = await readFile('docs/operation.md', 'utf8')
  const listed = tableUnder(page, '## Commands').map(([name = '', words]) => [name.slice(1, -1), words])
  expect(listed).toEqual(commands.map(({ path, command }) => [path, command.description()]))
})

test.each(commands.map(({ path, command }) => [path, command] as const))(
  'the help of %s has an example',
  (path, command) => {
    // `assent` alone runs the gateway, and `assent grants` lists.
    const shortest = path.replace(/ (gateway|list)$/, '')
    expect(helpOf(command)).toMatch(new RegExp(`^Examples?:\\n(?: .*\\n)*? .*${shortest}`, 'm'))
  },
)
