import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import type { Assent } from '../../assent.ts'
import { AssentError } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import { warnAboutPolicy } from '../config/reach-warnings.ts'
import { type Given, readConfig } from '../config/read.ts'
import { complain, print } from '../print.ts'

/** An editor saves a file in several steps, each of which is noticed. */
const debounceMs = 300

export interface ReloadingOptions {
  /** Prints what was done. */
  readonly say?: (text: string) => void
  /** Whether SIGHUP reloads the policy. `assent run` ends on SIGHUP instead. */
  readonly onHangUp?: boolean
}

/** Reloads the policy when its file changes, and on SIGHUP. An invalid file changes nothing. Returns how to stop. */
export function reloadingPolicy(
  assent: Assent,
  config: Config,
  given: Given,
  { say = print, onHangUp = true }: ReloadingOptions = {},
): () => Promise<void> {
  let last = Promise.resolve()
  // One at a time: of two at once, the older one could end last.
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
      if (byHand) say('The policy has not changed.')
    } else {
      const withdrawn = await assent.approvals.usePolicy(policy)
      const questions = withdrawn === 1 ? '1 question was' : `${withdrawn} questions were`
      const rules = policy.rules.length === 1 ? '1 rule' : `${policy.rules.length} rules`
      say(`The policy was reloaded: ${rules}. ${questions} withdrawn.`)
      await warnAboutPolicy(config)
    }
    if (othersOf(config) !== othersOf(started)) say('Other settings changed too. Restart Assent to use them.')
  } catch (error) {
    complain(
      `The policy was not reloaded, and stays as it was. ${error instanceof AssentError ? error.message : String(error)}`,
    )
  }
}

/** All settings but the policy, and without the addresses: the system may have chosen their ports. */
function othersOf(config: Config): string {
  const { written: _, policy: _policy, listen: _listen, publicUrl: _url, servers, metrics, ...rest } = config
  return JSON.stringify({ ...rest, servers: [...servers], allow: metrics.allow })
}

/** Watches the folder, since editors replace the file with a new one. In a mounted ConfigMap, a link beside it is replaced. */
function onChange(file: string, changed: () => void): () => void {
  const name = basename(file)
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dirname(file), { persistent: false }, (_, which) => {
    if (which !== null && which !== name && !which.startsWith('..')) return
    clearTimeout(timer)
    timer = setTimeout(changed, debounceMs)
  })
  watcher.on('error', (error) =>
    complain(`Changes of ${file} are no longer noticed (${error.message}). Send SIGHUP to reload it.`),
  )
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
