import type { InitClient } from './clients.ts'
import type { CommandLine } from './command-line.ts'
import { commandLineIn } from './command-line.ts'
import { editJson } from './edit-json.ts'
import { editToml } from './edit-toml.ts'
import type { Rewording } from './editable-file.ts'

/** What became of the servers in a file. */
export interface EditedServers {
  readonly text: string
  readonly changed: readonly string[]
  /** Servers that are left as they are, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[]
}

/**
 * Gives every server that `reword` has another command line for that one. `reword` returns why a server is left as it is
 * otherwise.
 */
export function editServers(
  client: InitClient,
  text: string,
  reword: (name: string, words: CommandLine | undefined) => CommandLine | string,
): EditedServers {
  const file = client.format === 'json' ? editJson(text) : editToml(text)
  const rewordings: Rewording[] = []
  const left: { name: string; why: string }[] = []
  for (const { path, value } of client.servers.flatMap((at) => file.servers(at))) {
    const name = path.at(-1) as string
    const words = reword(name, commandLineIn(value, client.commandLine))
    if (typeof words === 'string') left.push({ name, why: words })
    else rewordings.push({ path, words })
  }
  const changed = rewordings.map(({ path }) => path.at(-1) as string)
  return { text: changed.length === 0 ? text : file.reword(rewordings, client.commandLine), changed, left }
}
