import type { Command } from 'commander'
import { formatKey, makeKey } from '../../vault/keys.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { withStore } from '../with-assent.ts'

const rotateHelp = `
With a key file, this makes a new key. With ASSENT_KEYS, put a new key first (assent keys make) and restart every process
before you rotate.

Example:
  assent keys rotate`

/** `assent keys`: manages the keys that seal secrets. */
export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('manage the keys that seal secrets')

  keys
    .command('make')
    .description('print a new key for ASSENT_KEYS')
    .addHelpText('after', '\nExample:\n  export ASSENT_KEYS=$(assent keys make)')
    .action(() => print(formatKey(makeKey())))

  keys
    .command('list')
    .description('list the keys, and say which are in use')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', '\nExample:\n  assent keys list --json')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const all = await withStore(command, (assent) => assent.keys.list())
      if (json) return print(JSON.stringify(all))
      for (const { id, seals, inUse } of all) {
        print(`${id}  ${seals ? 'seals' : 'opens only'}  ${inUse ? 'in use' : 'not in use'}`)
      }
    })

  keys
    .command('rotate')
    .description('seal all secrets with the newest key; a key file gets a new key first')
    .addHelpText('after', rotateHelp)
    .action(async (_, command: Command) => {
      const { key, resealed, failed } = await withStore(command, (assent) =>
        assent.keys.rotate(({ resealed }) => complain(`${resealed} secrets sealed so far …`)),
      )
      const secrets = resealed === 1 ? '1 secret is' : `${resealed} secrets are`
      print(`${secrets} now sealed with the key ${key}. Older keys still open what they sealed.`)
      for (const { id, code } of failed) complain(`${id} could not be sealed again, and stays as it was (${code}).`)
      if (failed.length > 0) process.exitCode = exitCodes.no
    })

  keys
    .command('drop <id>')
    .description('remove a key from the key file, if nothing is sealed with it')
    .addHelpText('after', '\nExample:\n  assent keys drop k3f2a      an id that `assent keys list` shows')
    .action(async (id: string, _, command: Command) => {
      await withStore(command, (assent) => assent.keys.drop(id))
      print(`The key ${id} is removed.`)
    })
}
