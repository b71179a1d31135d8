import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where Assent keeps data of the person who runs it, if no settings say otherwise. */
export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'assent')
}
