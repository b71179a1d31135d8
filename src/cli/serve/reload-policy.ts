import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import type { Assent } from '../../assent.ts'
import { AssentError } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import { warnOutOfReach } from '../config/reach-warnings.ts'
import { type Given, readConfig } from '../config/read.ts'
import { complain, print } from '../print.ts'

/** Writing a file takes an editor several steps. */
const debounceMs = 300

export interface ReloadingOptions {
  /** Where it says what it did. */
  readonly say?: (text: string) => void
  /** False: SIGHUP means something else here. */
  readonly onHangUp?: boolean
}

/** Reads the policy anew when its file changes, or on SIGHUP. A file that cannot be used changes nothing. Returns how to stop. */
export function reloadingPolicy(
  assent: Assent,
  config: Config,
  given: Given,
  { say = print, onHangUp = true }: ReloadingOptions = {},
): () => Promise<void> {
  let last = Promise.resolve()
  // One at a time: two at once could end with the older one.
  const reload = (byHand: boolean) => {
    last = last.then(() => reloadPolicy(assent, config, given, byHand, say))
  }
  const onSignal = () => reload(true)
  if (onHangUp) process.on('SIGHUP', onSignal)
  const unwatch = config.written === undefined ? () => {} : onChange(config.written.file, () => reload(false))
  return async () => {
    process.off('SIGHUP', onSignal)
    unwatch()
    await last
  }
}

async function reloadPolicy(
  assent: Assent,
  started: Config,
  given: Given,
  byHand: boolean,
  say: (text: string) => void,
): Promise<void> {
  try {
    const config = await readConfig(given)
    const policy = await readPolicy(config.policy)
    if (policy.digest === assent.approvals.policy.digest) {
      if (byHand) say('The policy says what it said before.')
    } else {
      const withdrawn = await assent.approvals.usePolicy(policy)
      const questions = withdrawn === 1 ? '1 question was' : `${withdrawn} questions were`
      const rules = policy.rules.length === 1 ? '1 rule' : `${policy.rules.length} rules`
      say(`The policy was read anew: ${rules}. ${questions} withdrawn.`)
      await warnOutOfReach(config)
    }
    if (othersOf(config) !== othersOf(started)) say('Other settings changed too; they count after a restart.')
  } catch (error) {
    complain(`The policy stays as it was. ${error instanceof AssentError ? error.message : String(error)}`)
  }
}

/** All settings but the policy, and without the addresses: the system may have chosen their ports. */
function othersOf(config: Config): string {
  const { written: _, policy: _policy, listen: _listen, publicUrl: _url, servers, metrics, ...rest } = config
  return JSON.stringify({ ...rest, servers: [...servers], allow: metrics.allow })
}

/** Watches the folder: editors put a new file in the place of the old one, and so do mounted settings, by a link. */
function onChange(file: string, changed: () => void): () => void {
  const name = basename(file)
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dirname(file), { persistent: false }, (_, which) => {
    if (which !== null && which !== name && !which.startsWith('..')) return
    clearTimeout(timer)
    timer = setTimeout(changed, debounceMs)
  })
  watcher.on('error', (error) => complain(`Changes of ${file} are no longer noticed (${error.message}); send SIGHUP.`))
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
