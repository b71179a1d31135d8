import { existsSync, readFileSync } from 'node:fs'
import type { InitClient, Places } from './clients.ts'
import { unwrapped, type Wrapping, wrapped } from './command-line.ts'
import { type EditedServers, editServers } from './edit-servers.ts'
import { NotEditable } from './editable-file.ts'

/** What is to be done with one file of a client. */
export interface FilePlan {
  readonly client: InitClient
  readonly path: string
  readonly before: Buffer
  /** The servers, or why the file is left as it is. */
  readonly outcome: EditedServers | { readonly problem: string }
}

/** What `assent init` would do with the files that exist. Changes nothing. */
export function planInit(clients: readonly InitClient[], places: Places, wrapping: Wrapping): FilePlan[] {
  return clients.flatMap((client) =>
    client
      .files(places)
      .filter((path) => existsSync(path))
      .map((path) => planFile(client, path, wrapping)),
  )
}

function planFile(client: InitClient, path: string, wrapping: Wrapping): FilePlan {
  const before = readFileSync(path)
  try {
    const outcome = editServers(client, textOf(before), (name, words) => {
      if (words === undefined) return 'it is not started by a command. Add it to `servers` of the settings instead.'
      if (unwrapped(words) !== undefined) return 'Assent is in front of it already.'
      return wrapped(name, words, wrapping)
    })
    return { client, path, before, outcome }
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error
    return { client, path, before, outcome: { problem: error.message } }
  }
}

/** The text without Assent in front of its servers, for a file that was changed since. */
export function withoutAssent(client: InitClient, text: string): EditedServers {
  return editServers(client, text, (_, words) => (words && unwrapped(words)) ?? 'Assent is not in front of it.')
}

/** Bytes that are no text would not survive a change. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new NotEditable('it is not text in UTF-8')
  return text
}
