import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { urlOf } from '../config/read/addresses.ts'
import type { Given } from '../config/read.ts'
import { stateFolder } from '../state-folder.ts'

/** Not the port of `assent gateway`, which has another store and so other questions on its pages. */
const ownPort = 4_181

/** Where data is kept without a settings file, wherever the process was started. */
export function stateStore(): string {
  return `sqlite:${join(stateFolder(), 'assent.db')}`
}

/** The settings for a process that a client starts. Without a file, data is kept in the person's state folder. */
export function inStateFolder(config: Config, given: Pick<Given, 'port' | 'store'>): Config {
  const hasFile = config.written !== undefined
  const port = given.port ?? (hasFile ? config.listen.port : ownPort)
  const listen = { ...config.listen, port }
  return {
    ...config,
    listen,
    publicUrl: config.hasOwnUrl ? config.publicUrl : urlOf(listen),
    ...(!hasFile && given.store === undefined && { store: stateStore() }),
  }
}
