import type { Command } from 'commander'
import { formatKey, makeKey } from '../../vault/keys.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { withStore } from '../with-assent.ts'

/** `assent keys`: what seals the secrets. */
export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('the keys that seal secrets')

  keys
    .command('make')
    .description('print a fresh key, as ASSENT_KEYS takes it')
    .action(() => print(formatKey(makeKey())))

  keys
    .command('list')
    .description('show which keys there are and which are in use')
    .option('--json', 'for scripts')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const all = await withStore(command, (assent) => assent.keys.list())
      if (json) return print(JSON.stringify(all))
      for (const { id, seals, inUse } of all) {
        print(`${id}  ${seals ? 'seals' : 'opens only'}  ${inUse ? 'in use' : 'not in use'}`)
      }
    })

  keys
    .command('rotate')
    .description('seal everything under a new key: one more in the key file, or the first of ASSENT_KEYS')
    .addHelpText('after', '\nWith ASSENT_KEYS: put a new key first (assent keys make), restart, then rotate.')
    .action(async (_, command: Command) => {
      const { key, resealed, failed } = await withStore(command, (assent) =>
        assent.keys.rotate(({ resealed }) => complain(`${resealed} sealed anew …`)),
      )
      const all = failed.length === 0 ? 'Everything is' : 'All else is'
      print(`${all} sealed under ${key}: ${resealed} sealed anew. Older keys still open what they sealed.`)
      for (const { id, code } of failed) complain(`${id} stays as it was: ${code}.`)
      if (failed.length > 0) process.exitCode = exitCodes.no
    })

  keys
    .command('drop <id>')
    .description('take a key out of the key file, if nothing is sealed under it')
    .action(async (id: string, _, command: Command) => {
      await withStore(command, (assent) => assent.keys.drop(id))
      print(`The key ${id} is gone.`)
    })
}
